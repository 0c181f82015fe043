import Testing

@testable import SaunterCore

@Suite struct QuestionnaireJSONTests {
    private typealias Samples = QuestionnaireSamples

    private static let questionnaire: Questionnaire = {
        var questionnaire = Samples.questionnaire(
            [
                Samples.item("g", .group) {
                    $0.item = [
                        Samples.item("q", .choice) {
                            $0.answerOption = [
                                ResponseOption(value: .code("a"), weight: 2.5),
                                ResponseOption(value: .code("none"), weight: 0, exclusive: true),
                            ]
                            ($0.repeats, $0.required, $0.itemControl) = (true, true, .checkBox)
                        }
                    ]
                },
                Samples.item("n", .integer) {
                    ($0.minValue, $0.maxValue, $0.step, $0.unit) = (0, 10, 0.5, "min")
                    ($0.readOnly, $0.hidden, $0.initial) = (true, true, .integer(3))
                    $0.enableWhen = [Samples.when("q", .notEqual, .option(.code("a")))]
                    $0.enableBehavior = .any
                },
            ],
            scoring: ScoringKey(version: "1.0.0", scales: [Scale(id: "s", items: ["q"], method: .sum)]),
            languages: ["en", "de"])
        questionnaire.edit = EditPolicy(correctWithin: .within(seconds: 3600))
        questionnaire.license = "CC0-1.0"
        return questionnaire
    }()

    @Test func `the participant's form has structure and texts, but no weights and no scoring`() {
        let expected = """
            {"code":"sample","version":"1.0.0","title":"Title de","language":"de","languages":["en","de"],"minutes":1,\
            "license":"CC0-1.0","edit":{"correct_within_s":3600},"item":[\
            {"linkId":"g","type":"group","text":"Words of g","required":false,"item":[\
            {"linkId":"q","type":"choice","text":"Words of q","required":true,"repeats":true,"answerOption":[\
            {"value":"a","label":"Label a"},{"value":"none","label":"Label none","exclusive":true}],"itemControl":"check-box"}]},\
            {"linkId":"n","type":"integer","text":"Words of n","required":false,"readOnly":true,"hidden":true,\
            "minValue":0,"maxValue":10,"step":0.5,"unit":"min","initial":3,\
            "enableWhen":[{"question":"q","operator":"!=","answer":"a"}],"enableBehavior":"any"}]}
            """

        #expect(Self.questionnaire.json(language: "de").text == expected)
    }

    @Test func `media of options have their alternative text, and placeholders are shown`() {
        var questionnaire = Self.questionnaire
        questionnaire.item[0].item[0].answerOption[0].media = Media(kind: .image, source: "media/a.png")
        questionnaire.text["en"]?.optionMedia = ["q": ["a": "A circle"]]
        questionnaire.text["en"]?.placeholders = ["n": "such as 3"]

        let (shown, archived) = (questionnaire.json(language: "en"), questionnaire.json())
        func option(_ json: JSON) -> JSON? {
            json["item"]?.array?[0]["item"]?.array?[0]["answerOption"]?.array?[0]
        }

        let media: JSON = ["type": "image", "source": "media/a.png", "alt": "A circle"]
        #expect(option(shown)?["media"] == media)
        #expect(shown["item"]?.array?[1]["placeholder"] == "such as 3")
        #expect(option(archived)?["media"] == ["type": "image", "source": "media/a.png"])
        #expect(archived["text"]?["en"]?["option_media"] == ["q": ["a": "A circle"]])
        #expect(archived["text"]?["en"]?["placeholders"] == ["n": "such as 3"])
        #expect(archived["text"]?["de"]?["placeholders"] == nil)
    }

    @Test func `an unknown language falls back to the first language, and the form names it`() {
        let json = Self.questionnaire.json(language: "fr")

        #expect(json["language"] == "en")
        #expect(json["title"] == "Title en")
    }

    @Test func `the archive form has weights, scoring and all texts`() {
        let json = Self.questionnaire.json()

        #expect(
            json["item"]?.array?[0]["item"]?.array?[0]["answerOption"]?.array?[0] == [
                "value": "a", "weight": 2.5,
            ])
        #expect(json["scoring"]?["scales"]?.array?.count == 1)
        #expect(json["text"]?.object?.names == ["de", "en"])
        #expect(json["text"]?["de"]?["options"]?["q"] == ["a": "Label a", "none": "Label none"])
        #expect(json["languages"] == ["en", "de"])
    }

    @Test func `the digest changes exactly if the content changes`() {
        let base = Self.questionnaire
        let changes: [(inout Questionnaire) -> Void] = [
            { $0.code = "other" }, { $0.version = "1.0.1" }, { $0.minutes = 2 }, { $0.copyright = "x" },
            { $0.license = nil },
            { $0.edit.deleteWithin = .within(seconds: 1) }, { $0.languages = ["de", "en"] },
            { $0.scoring = nil },
            { $0.scoring?.scales[0].factor = 2 }, { $0.text["de"]?.items["q"] = "?" },
            { $0.text["de"]?.bands["s"] = ["x": "?"] },
            { $0.item[0].item[0].answerOption[0].weight = 2 },
            { $0.item[0].item[0].answerOption[1].exclusive = false },
            { $0.item[0].item[0].required = false }, { $0.item[1].maxValue = 11 },
            { $0.item[1].hidden = false },
            { $0.item[1].enableBehavior = .all }, { $0.item[1].enableWhen[0].comparison = .equal },
            { $0.item[1].initial = nil },
            { $0.item[1].minLength = 1 }, { $0.item[1].maxLength = 1 }, { $0.item[1].maxDecimalPlaces = 1 },
            { $0.item.swapAt(0, 1) }, { $0.item[1].dataKind = "heart" },
            { $0.item[0].item[0].answerOption[0].media = Media(kind: .image, source: "media/a.png") },
            { $0.text["de"]?.optionMedia["q"] = ["a": "?"] }, { $0.text["de"]?.placeholders["n"] = "?" },
        ]

        var digests: Set<String> = [base.digest]
        for change in changes {
            var changed = base
            change(&changed)
            digests.insert(changed.digest)
        }

        #expect(digests.count == changes.count + 1)
        #expect(Self.questionnaire.digest == base.digest)
        #expect(base.digest.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) })
    }

    @Test func `a digest is the published SHA-256`() {
        // The expected value is the output of `printf '{}' | sha256sum`.
        #expect(JSON.object([:]).digest == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
    }
}
