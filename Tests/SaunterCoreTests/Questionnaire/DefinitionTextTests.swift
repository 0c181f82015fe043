import Testing

@testable import SaunterCore

@Suite struct DefinitionTextTests {
    private typealias Samples = QuestionnaireSamples

    private let valid = Samples.questionnaire(
        [Samples.item("g", .group) { $0.item = [Samples.item("d", .display), Samples.rating("q1", 0...1)] }],
        scoring: ScoringKey(
            version: "1.0.0",
            scales: [
                Scale(
                    id: "s", items: ["q1"], method: .sum,
                    bands: [Band(id: "low", below: 1), Band(id: "high", from: 1)])
            ]),
        languages: ["de", "en"])

    private func faults(_ change: (inout Questionnaire) -> Void) -> [String] {
        var questionnaire = valid
        change(&questionnaire)
        return questionnaire.faults().map { "\($0.pointer) \($0.code)" }
    }

    @Test func `every language has all texts`() {
        #expect(faults { _ in } == [])
        #expect(faults { $0.text["de"]?.title = " " } == ["/text/de/title missing_text"])
        #expect(faults { $0.text["de"]?.items["q1"] = nil } == ["/text/de/items/q1 missing_text"])
        #expect(faults { $0.text["de"]?.items["d"] = nil } == ["/text/de/items/d missing_text"])
        #expect(faults { $0.text["en"]?.options["q1"]?["1"] = nil } == ["/text/en/options/q1/1 missing_text"])
        #expect(
            faults { $0.text["en"]?.options = [:] } == [
                "/text/en/options/q1/0 missing_text", "/text/en/options/q1/1 missing_text",
            ])
        #expect(faults { $0.text["en"]?.scales = [:] } == ["/text/en/scales/s missing_text"])
        #expect(faults { $0.text["en"]?.bands["s"]?["low"] = "" } == ["/text/en/bands/s/low missing_text"])
        #expect(faults { $0.text["en"]?.items["q1"] = "a\u{0}b" } == ["/text/en/items/q1 nul_character"])
    }

    @Test func `surplus texts are faults`() {
        #expect(faults { $0.text["de"]?.items["q2/x"] = "?" } == ["/text/de/items/q2~1x surplus_text"])
        #expect(faults { $0.text["de"]?.options["q1"]?["2"] = "?" } == ["/text/de/options/q1/2 surplus_text"])
        #expect(faults { $0.text["de"]?.options["q7"] = ["1": "?"] } == ["/text/de/options/q7 surplus_text"])
        #expect(faults { $0.text["de"]?.scales["t"] = "?" } == ["/text/de/scales/t surplus_text"])
        #expect(faults { $0.text["de"]?.bands["s"]?["mid"] = "?" } == ["/text/de/bands/s/mid surplus_text"])
        #expect(faults { $0.text["de"]?.bands["t"] = [:] } == ["/text/de/bands/t surplus_text"])
    }

    @Test func `the text of a group and the description exist in all languages or in none`() {
        #expect(
            faults {
                $0.text["de"]?.items["g"] = nil
                $0.text["en"]?.items["g"] = nil
            } == [])
        #expect(faults { $0.text["de"]?.items["g"] = nil } == ["/text/de/items/g missing_text"])
        #expect(faults { $0.text["de"]?.description = "?" } == ["/text/en/description missing_text"])
    }

    @Test func `a help text exists in all languages or in none`() {
        #expect(
            faults {
                $0.text["de"]?.help["q1"] = "?"
                $0.text["en"]?.help["q1"] = "?"
            } == [])
        #expect(faults { $0.text["de"]?.help["q1"] = "?" } == ["/text/en/help/q1 missing_text"])
        #expect(faults { $0.text["de"]?.help["q7"] = "?" } == ["/text/de/help/q7 surplus_text"])
    }

    @Test func `a line with two ends has both end labels in all languages or in none`() {
        func faults(_ anchors: [String: String], _ change: (inout Item) -> Void = { _ in }) -> [String] {
            self.faults { questionnaire in
                var line = Samples.item("line", .integer) {
                    ($0.itemControl, $0.minValue, $0.maxValue) = (.slider, 0, 100)
                }
                change(&line)
                questionnaire.item.append(line)
                for language in ["de", "en"] { questionnaire.text[language]?.items["line"] = "?" }
                questionnaire.text["de"]?.anchors["line"] = anchors
                questionnaire.text["en"]?.anchors["line"] = ["minimum": "low", "maximum": "high"]
            }
        }

        #expect(faults(["minimum": "a", "maximum": "b"]) == [])
        #expect(faults(["minimum": "a", "maximum": "b"]) { $0.itemControl = .visualAnalogueScale } == [])
        #expect(faults(["minimum": "a"]) == ["/text/de/anchors/line/maximum missing_text"])
        #expect(
            faults(["minimum": "a", "middle": "b", "maximum": "c"])
                == ["/text/en/anchors/line/middle missing_text"])
        #expect(
            faults(["minimum": "a", "maximum": "b", "left": "c"])
                == ["/text/de/anchors/line/left surplus_text"])
        let notALine = ["/text/de/anchors/line not_for_type", "/text/en/anchors/line not_for_type"]
        #expect(faults(["minimum": "a", "maximum": "b"]) { $0.maxValue = nil } == notALine)
        #expect(faults(["minimum": "a", "maximum": "b"]) { $0.itemControl = .spinner } == notALine)
        #expect(
            self.faults { $0.text["de"]?.anchors["q7"] = ["minimum": "a", "maximum": "b"] }
                == ["/text/de/anchors/q7 surplus_text"])
    }

    @Test func `an option with media has an alternative text in every language`() {
        func faults(_ change: (inout Questionnaire) -> Void = { _ in }) -> [String] {
            self.faults { questionnaire in
                questionnaire.item[0].item[1].answerOption[1].media = Media(
                    kind: .image, source: "media/one.png")
                questionnaire.text["de"]?.optionMedia["q1"] = ["1": "Eins"]
                questionnaire.text["en"]?.optionMedia["q1"] = ["1": "One"]
                change(&questionnaire)
            }
        }

        #expect(faults() == [])
        #expect(faults { $0.text["en"]?.optionMedia = [:] } == ["/text/en/option_media/q1/1 missing_text"])
        #expect(
            faults { $0.text["de"]?.optionMedia["q1"]?["1"] = " " } == [
                "/text/de/option_media/q1/1 missing_text"
            ])
        #expect(
            faults { $0.text["de"]?.optionMedia["q1"]?["0"] = "?" } == [
                "/text/de/option_media/q1/0 surplus_text"
            ])
        #expect(
            faults { $0.text["de"]?.optionMedia["q7"] = ["1": "?"] } == [
                "/text/de/option_media/q7 surplus_text"
            ])
        #expect(
            faults { $0.item[0].item[1].answerOption[1].media?.source = "file:one.png" } == [
                "/item/0/item/1/answerOption/1/media/source bad_source"
            ])
    }

    @Test func `a placeholder exists in all languages or in none, and only for input fields`() {
        func faults(_ type: ItemType, _ placeholders: [String: String]) -> [String] {
            self.faults { questionnaire in
                questionnaire.item.append(
                    Samples.item("line", type) {
                        if type == .quantity { $0.unitOption = ["kg"] }
                        if type.hasOptions { $0.answerOption = ShapeSamples.codes(["a", "b"]) }
                    })
                for language in ["de", "en"] {
                    questionnaire.text[language]?.items["line"] = "?"
                    if type.hasOptions {
                        questionnaire.text[language]?.options["line"] = ["a": "A", "b": "B"]
                    }
                    questionnaire.text[language]?.placeholders["line"] = placeholders[language]
                }
            }
        }

        for type in [ItemType.string, .text, .integer, .decimal, .quantity, .openChoice] {
            #expect(faults(type, ["de": "z. B. 3", "en": "such as 3"]) == [], "\(type)")
            #expect(faults(type, ["de": "z. B. 3"]) == ["/text/en/placeholders/line missing_text"])
        }
        for type in [ItemType.choice, .boolean, .date, .display, .location, .ranking] {
            #expect(faults(type, ["de": "x"]) == ["/text/de/placeholders/line not_for_type"], "\(type)")
        }
        #expect(
            self.faults { $0.text["de"]?.placeholders["q7"] = "?" } == [
                "/text/de/placeholders/q7 surplus_text"
            ])
    }

    @Test func `languages and texts match`() {
        #expect(faults { $0.languages = [] }.contains("/languages no_language"))
        #expect(faults { $0.languages = ["de", "en", "de"] } == ["/languages/2 duplicate_language"])
        #expect(faults { $0.languages = ["de", "en", "fr"] } == ["/text/fr missing_language"])
        #expect(faults { $0.languages = ["de"] } == ["/text/en surplus_language"])
        #expect(
            faults {
                $0.languages = ["de", "E/n"]
                $0.text["E/n"] = $0.text.removeValue(forKey: "en")
            } == ["/languages/1 bad_language"])
    }

    @Test(arguments: [
        ("de", true), ("gsw", true), ("pt-BR", true), ("zh-Hant-TW", true), ("", false), ("d", false),
        ("german", false),
        ("de_DE", false), ("DE", false), ("de-", false), ("de-a", false), ("de-Ä1", false),
    ])
    func `a language is a BCP 47 tag`(tag: String, isAccepted: Bool) {
        #expect(LanguageTag.isValid(tag) == isAccepted)
    }

    @Test func `the texts of a missing language are those of the first language`() {
        #expect(valid.text(in: "en").title == "Title en")
        #expect(valid.text(in: "fr").title == "Title de")
        var withoutLanguages = valid
        (withoutLanguages.languages, withoutLanguages.text) = ([], [:])
        #expect(withoutLanguages.text(in: "fr").title == "sample")
        #expect(withoutLanguages.json(language: "fr")["title"] == "sample")
    }
}
