import SaunterCore
import Testing

@testable import SaunterWeb

/// The forms of journeys and practices: what they show, and what they change.
@Suite struct DraftJourneysTests {
    private static let list: JSON = [
        "revision": 3, "languages": ["en", "de"], "removed": [], "order_changed": false,
        "states": ["control": "same", "calm": "added"],
        "programmes": [
            [
                "code": "control", "title": ["en": "Control"], "authors": ["A", "B"],
                "modules": ["one", "two"],
            ],
            ["code": "calm", "title": ["de": "Ruhe"], "modules": []],
        ],
        "practices": [["code": "one", "title": ["de": "Eins"]], ["code": "two", "title": [:]]],
    ]

    @Test func `titles are in the language of the visitor if possible`() {
        let list = DraftJourneys(Self.list)

        #expect(
            list.title(of: "control", in: "de") == "Control" && list.title(of: "calm", in: "en") == "Ruhe")
        #expect(
            list.title(ofPractice: "one", in: "en") == "Eins"
                && list.title(ofPractice: "two", in: "en") == "two")
        #expect(list.title(of: "none", in: "en") == "none" && list.state(of: "calm") == "added")
    }

    @Test func `typed words and authors change one journey only`() {
        var list = DraftJourneys(Self.list)
        let values = list.values(of: "control")
        #expect(values.map(\.pointer).filter { $0.hasPrefix("/title") } == ["/title/en", "/title/de"])
        #expect(values.last?.text == "A\nB")
        func value(_ pointer: String) -> DraftValue { values.first { $0.pointer == pointer } ?? values[0] }
        list.set(
            [
                (value("/title/de"), "Kontrolle"), (value("/title/en"), " "), (value("/subtitle/en"), "Ours"),
                (value("/authors"), " C \n\nD"),
            ], of: "control")

        #expect(list.journey("control")?["title"] == ["de": "Kontrolle"])
        #expect(list.journey("control")?["subtitle"] == ["en": "Ours"])
        #expect(list.journey("control")?["authors"] == ["C", "D"])
        #expect(list.journey("calm") == DraftJourneys(Self.list).journey("calm"))
    }

    @Test func `buttons change the order, and nothing at the ends`() {
        var list = DraftJourneys(Self.list)
        list.move("control", by: -1)
        list.move("none", by: 1)
        #expect(list.codes == ["control", "calm"])
        list.move("control", by: 1)
        #expect(list.codes == ["calm", "control"])
        list.changeModules(of: "control") { $0.move(1, by: -1) }
        #expect(list.body["programmes"]?.array?[1]["modules"] == ["two", "one"])
        #expect(FormAction("up:a:b").name == "up" && FormAction("up:a:b").code == "a:b")
        #expect(FormAction("").name == "save")
    }

    @Test(arguments: [
        ("What is in our control?", "what_is_in_our_control"),
        ("Über Ängste & Größe", "ueber_aengste_groesse"),
        ("Élan vital", "elan_vital"), ("日記", "journey"), ("3 breaths", "journey_3_breaths"), ("", "journey"),
        ("A title that is much longer than a code", "a_title_that_is_much_lon"),
    ])
    func `a code follows from a title`(title: String, code: String) {
        #expect(CodeFromTitle.code(title, besides: [], fallback: "journey") == code)
    }

    @Test func `a code that is taken gets a number`() {
        let long = "a_title_that_is_much_lon"
        #expect(CodeFromTitle.code("Calm", besides: ["calm", "calm_2"], fallback: "x") == "calm_3")
        #expect(
            CodeFromTitle.code("A title that is much longer", besides: [long], fallback: "x")
                == "a_title_that_is_much_l_2")
    }

    // MARK: Practices

    private static let practice: JSON = [
        "revision": 4, "languages": ["en", "de"], "entitlements": ["premium"],
        "folder": "instruments/m/1.0.0/",
        "journeys": [],
        "practice": [
            "code": "m", "title": ["en": "M"], "topic": [:], "minutes": 5, "entitlement": nil,
            "exercises": [
                [
                    "link_id": "story_1", "kind": "story", "text": ["en": "S"],
                    "media": ["type": "image", "source": "media/a.png"], "media_text": ["en": "A"],
                ],
                [
                    "link_id": "group", "kind": "other", "text": [:],
                    "parts": [["link_id": "p", "text": ["en": "P"]]],
                ],
                ["link_id": "input_1", "kind": "input", "text": ["en": "I"]],
            ],
        ],
    ]

    @Test func `each exercise has the fields of its kind`() {
        let practice = DraftPractice(Self.practice)
        let names = practice.exercises.map { practice.values(of: $0).map(\.name) }

        #expect(names == [["text", "media_text"], ["text", "p"], ["text", "placeholder"]])
        #expect(practice.values.count == 6 + 4 + 4 + 4)
        #expect(Set(practice.values.map(\.key)).count == practice.values.count)
    }

    @Test func `a sound replaces the picture of an exercise, and is removed with its words`() {
        var practice = DraftPractice(Self.practice)
        practice.setMedia("story_1", "media/story_1.mp3", .audio)

        #expect(DraftPractice.mediaKind(practice.exercises[0]) == .audio)
        #expect(practice.exercises[0]["media"] == ["type": "audio", "source": "media/story_1.mp3"])
        #expect(practice.exercises[0]["media_text"] == ["en": "A"])
        practice.removeMedia("story_1")
        #expect(DraftPractice.mediaKind(practice.exercises[0]) == nil)
        #expect(practice.exercises[0]["media"] == .null && practice.exercises[0]["media_text"] == [:])
    }

    @Test func `typed values reach their place`() {
        var practice = DraftPractice(Self.practice)
        func value(_ pointer: String) -> DraftValue {
            DraftValue(file: DraftPractice.file, pointer: pointer, text: "")
        }
        practice.set([
            (value("/minutes"), "2,5"), (value("/entitlement"), "premium"), (value("/topic/de"), "Thema"),
            (value("/exercises/group/parts/p/text/de"), "Teil"),
            (value("/exercises/input_1/placeholder/en"), "I can …"),
            (value("/exercises/gone/text/en"), "x"),
        ])
        let body = practice.body

        #expect(
            body["minutes"] == 2.5 && body["entitlement"] == "premium" && body["topic"] == ["de": "Thema"])
        #expect(
            body["exercises"]?.array?[1]["parts"] == [["link_id": "p", "text": ["en": "P", "de": "Teil"]]])
        #expect(body["exercises"]?.array?[2]["placeholder"] == ["en": "I can …"])
        practice.set([(value("/minutes"), "long")])
        #expect(practice.body["minutes"] == "long")
        practice.set([(value("/entitlement"), "")])
        #expect(practice.body["entitlement"]?.isNull == true)
    }

    @Test func `exercises are added with free ids, moved and removed`() {
        var practice = DraftPractice(Self.practice)
        practice.add("story")
        practice.move("story_2", by: -1)
        practice.remove("group")

        #expect(practice.exercises.map { DraftPractice.linkID($0) } == ["story_1", "story_2", "input_1"])
    }

    // MARK: Versions

    @Test func `raised versions are in an address, and any other text is ignored`() {
        let raised = RaisedVersions([
            "questionnaires": [["code": "mood", "from": "1.0.0", "to": "1.0.1"]],
            "study": ["from": "2.0.0", "to": "2.0.1"],
        ])

        #expect(raised.query == "mood:1.0.0:1.0.1,:2.0.0:2.0.1")
        #expect(RaisedVersions(query: raised.query) == raised)
        for text in ["", "none", "<script>", "Mood:1.0.0:1.0.1", "mood:1:2", "mood:1.0.0"] {
            #expect(RaisedVersions(query: text).isEmpty, "\(text)")
        }
        #expect(RaisedVersions(["questionnaires": [], "study": nil]).isEmpty)
    }
}
