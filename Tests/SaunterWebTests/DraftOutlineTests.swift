import SaunterCore
import Testing

@testable import SaunterWeb

/// The texts and times that the forms of a draft show.
@Suite struct DraftOutlineTests {
    private static let outline = DraftOutline(
        [
            "version": "1.0.0", "title": "Rest", "languages": ["en", "de"],
            "questionnaires": [
                [
                    "code": "day", "version": "1.0.0", "folder": "instruments/day/1.0.0/",
                    "words": [
                        "en": "instruments/day/1.0.0/text.en.yaml",
                        "de": "instruments/day/1.0.0/text.de.yaml",
                    ],
                    "items": [["link_id": "mood", "type": "choice", "text": ["en": "How was it?"]]],
                ]
            ],
            "settings": [
                [
                    "name": "days", "file": "studies/rest/study.yaml", "pointer": "/days", "value": 14,
                    "kind": "number",
                ],
                [
                    "name": "target", "file": "studies/rest/study.yaml", "pointer": "/target", "value": nil,
                    "kind": "number",
                ],
                [
                    "name": "reminder/channels", "file": "studies/rest/study.yaml",
                    "pointer": "/reminder/channels", "value": ["push", "mail"], "kind": "channels",
                ],
            ],
            "schedules": [
                [
                    "code": "evening", "questionnaire": "day",
                    "fields": [
                        ["name": "id", "pointer": "/schedules/0/id", "value": "evening", "kind": "code"],
                        [
                            "name": "slots/0/open", "pointer": "/schedules/0/slots/0/open", "value": "17:00",
                            "kind": "time",
                        ],
                        [
                            "name": "recurrence/every/until_day",
                            "pointer": "/schedules/0/recurrence/every/until_day", "value": 13,
                            "kind": "number",
                        ],
                        [
                            "name": "reminders", "pointer": "/schedules/0/reminders", "value": ["at_open"],
                            "kind": "list",
                        ],
                    ],
                ]
            ],
            "text": [
                [
                    "language": "en", "file": "instruments/day/1.0.0/text.en.yaml",
                    "entries": [
                        ["pointer": "/title", "text": "The day"],
                        ["pointer": "/items/mood", "text": "How was it?"],
                    ],
                ],
                [
                    "language": "de", "file": "instruments/day/1.0.0/text.de.yaml",
                    "entries": [["pointer": "/title", "text": "Der Tag"]],
                ],
                [
                    "language": "en", "file": "studies/rest/content/text.en.yaml",
                    "entries": [["pointer": "/title", "text": "Rest"]],
                ],
            ],
        ], study: "rest")

    @Test func `texts are side by side in all languages`() throws {
        #expect(Self.outline.parts.map(\.code) == ["", "day"])
        let day = try #require(Self.outline.parts.last)
        #expect(day.entries.map(\.pointer) == ["/title", "/items/mood"])
        #expect(day.entries[0].values.mapValues(\.text) == ["en": "The day", "de": "Der Tag"])
        // A text that a language does not have yet can be added.
        let missing = try #require(day.entries[1].values["de"])
        #expect(missing.text == "" && missing.file == "instruments/day/1.0.0/text.de.yaml")
        #expect(Self.outline.parts[0].entries.map { $0.values.mapValues(\.text) } == [["en": "Rest"]])
    }

    @Test func `every text is a value once, and neither lists nor the id of a schedule can be changed`() {
        #expect(Set(Self.outline.texts.map(\.key)).count == Self.outline.texts.count)
        #expect(Self.outline.texts.count == 5)
        #expect(
            Self.outline.times == [
                DraftValue(
                    file: "studies/rest/schedule.yaml", pointer: "/schedules/0/slots/0/open", text: "17:00",
                    kind: .time),
                DraftValue(
                    file: "studies/rest/schedule.yaml", pointer: "/schedules/0/recurrence/every/until_day",
                    text: "13",
                    kind: .number),
                DraftValue(file: "studies/rest/study.yaml", pointer: "/days", text: "14", kind: .number),
                DraftValue(file: "studies/rest/study.yaml", pointer: "/target", text: "", kind: .number),
                DraftValue(
                    file: "studies/rest/study.yaml", pointer: "/reminder/channels", text: "push, mail",
                    kind: .channels),
            ])
    }

    @Test func `the name of a text begins with a word`() throws {
        let words = try #require(try Words(WebFiles(folder: nil)).languages.first)
        #expect(
            DraftFormPages.name(of: "/items/mood", words) == "\(words.text("draft", "text_items")) › mood")
        #expect(DraftFormPages.name(of: "/x~1y/a~0b", words) == "x/y › a~b")
        for name in [
            "days", "target", "reminder/at", "reminder/quiet_from", "reminder/quiet_to",
            "reminder/most_per_day", "reminder/channels",
        ] {
            #expect(
                DraftFormPages.name(of: "/\(name)", words)
                    == words.text("draft", "setting_\(name.replacing("/", with: "_"))"))
        }
        #expect(DraftFormPages.name(of: "/rules/kind/subject", words) == "Message of a rule › kind › Subject")
        #expect(DraftFormPages.name(of: "/welcome/0/title", words) == "Page of the introduction › 1 › Title")
        #expect(DraftFormPages.name(of: "/reminder/body", words).hasSuffix(" › Text of the message"))
        // The code of an answer is no name of a text.
        #expect(DraftFormPages.name(of: "/options/mood/title", words).hasSuffix(" › mood › title"))
        #expect(
            DraftFormPages.name(ofField: "slots/0/open", words)
                == "\(words.text("draft", "field_slots")) 1 › \(words.text("draft", "field_open"))")
    }

    @Test(arguments: ["en", "de"])
    func `every text and every field of a schedule has a word`(language: String) throws {
        let words = try Words(WebFiles(folder: nil)).language(accepting: language)
        for text in [
            "title", "description", "summary", "items", "options", "option_sets", "scales", "bands", "arms",
            "reminder", "notices", "notification", "prompt", "steps", "anchors", "awards", "constraints",
            "data_kinds", "entitlements", "factors", "features", "help", "media", "option_media",
            "placeholders", "plans", "rules", "short_name", "variables", "welcome",
        ] {
            #expect(words["draft", "text_\(text)"] != nil, "\(text)")
        }
        for field in [
            "id", "questionnaire", "completion", "first_completion", "event", "programme", "study_date",
        ] {
            #expect(words["draft", "field_\(field)"] != nil, "\(field)")
        }
    }

    @Test(arguments: [
        (
            "en",
            [
                "Arm a: 3.1 minutes of questionnaires a day. One walk a day is assumed. "
                    + "On the busiest day 10 minutes, by the schedules that count from the enrolment.",
                "Arm a, phase p: 2 minutes of questionnaires a day.", "Programme calm: 1 practice.",
            ]
        ),
        (
            "de",
            [
                "Arm a: 3,1 Minuten für Fragebögen am Tag. Dabei ist ein Spaziergang am Tag angenommen. "
                    + "Am vollsten Tag 10 Minuten, nach den Zeitplänen, die ab der Aufnahme zählen.",
                "Arm a, Phase p: 2 Minuten für Fragebögen am Tag.", "Programm calm: 1 Übung.",
            ]
        ),
    ])
    func `the effort of participants is in the language of the page`(
        language: String, sentences: [String]
    ) throws {
        let words = try Words(WebFiles(folder: nil)).language(accepting: language)
        let draft: JSON = [
            "minutes": [
                ["arm": "a", "phase": nil, "per_day": 3.1, "busiest_day": 10, "includes_walks": true],
                ["arm": "a", "phase": "p", "per_day": 2, "busiest_day": nil, "includes_walks": false],
            ],
            "library": [["kind": "programme", "code": "calm", "items": 1]],
        ]

        #expect(DraftView(draft, study: "s", words).burden == sentences)
    }
}
