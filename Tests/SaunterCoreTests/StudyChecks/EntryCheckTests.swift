import Testing

@testable import SaunterCore

@Suite("Study check, entries, settings and features")
struct EntryCheckTests {
    /// A mood with a daily occasion, a promise with its ticks and its end, one setting and three features.
    private static func validStudy() throws -> Study {
        var study = Sample.study([
            Sample.schedule(
                asks: "mood", slots: [try Sample.slot("08:00", due: 10 * hour, close: 12 * hour)])
        ])
        study.questionnaires += ["promise", "kept", "promise_end", "page"].map { Sample.questionnaire($0) }
        study.questionnaires.append(setting("prompts", item: "many"))
        study.anyTime = [
            AnyTimeRule(questionnaire: "mood", maximumPerDay: 2, fulfilledSchedule: "daily"),
            AnyTimeRule(questionnaire: "promise", isActiveOne: true, endsWith: "promise_end"),
            AnyTimeRule(questionnaire: "kept", refersTo: .init(questionnaire: "promise")),
            AnyTimeRule(questionnaire: "promise_end", refersTo: .init(questionnaire: "promise")),
            AnyTimeRule(questionnaire: "page", refersTo: .init(questionnaire: "mood", isRequired: false)),
        ]
        study.settings = ["prompts"]
        study.features = [
            StudyFeature(code: "mood", settings: "prompts"), StudyFeature(code: "prompts"),
            StudyFeature(code: "look-back", page: .entries),
        ]
        let title = TitledText(title: "Title", text: "Text")
        study.text["en"]?.features = ["mood": title, "prompts": title, "look-back": title]
        return study
    }

    private static func setting(_ code: String, item: String, required: Bool = true) -> Questionnaire {
        var questionnaire = Sample.questionnaire(code)
        var question = Item(linkId: item, type: .integer)
        question.required = required
        question.initial = .integer(3)
        questionnaire.item = [question]
        return questionnaire
    }

    private func faults(_ change: (inout Study) throws -> Void) throws -> [String] {
        var study = try Self.validStudy()
        try change(&study)
        return study.faults().map { "\($0.pointer) \($0.code)" }
    }

    @Test func `a valid study has no faults`() throws {
        #expect(try faults { _ in } == [])
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: [String]
        var change: @Sendable (inout Study) -> Void

        init(_ name: String, _ expected: [String], _ change: @escaping @Sendable (inout Study) -> Void) {
            testDescription = name
            self.expected = expected
            self.change = change
        }
    }

    static let brokenEntries = [
        Broken("unknown questionnaire", ["/any_time/5 unknown_questionnaire"]) {
            $0.anyTime.append("nothing")
        },
        Broken("listed twice", ["/any_time/5 duplicate"]) { $0.anyTime.append("mood") },
        Broken("a maximum of zero", ["/any_time/0/max_per_day out_of_range"]) {
            $0.anyTime[0].maximumPerDay = 0
        },
        Broken("a maximum below the occasions of a day", ["/any_time/0/max_per_day below_schedule"]) {
            $0.anyTime[0].maximumPerDay = 1
            $0.schedules[0].slots = ["08:00", "20:00"].map {
                Slot(opening: .fixed(LocalTime($0)!), dueAfter: 600, closeAfter: 3600)
            }
        },
        Broken("an unknown schedule", ["/any_time/0/settles unknown_schedule"]) {
            $0.anyTime[0].fulfilledSchedule = "weekly"
        },
        Broken("the schedule of another questionnaire", ["/any_time/4/settles wrong_questionnaire"]) {
            $0.anyTime[4].fulfilledSchedule = "daily"
        },
        Broken("an end without active entries", ["/any_time/1/ends_with not_active"]) {
            $0.anyTime[1].isActiveOne = false
        },
        Broken("an unknown end", ["/any_time/1/ends_with unknown_questionnaire"]) {
            $0.anyTime[1].endsWith = "nothing"
        },
        Broken("an end that no one can submit", ["/any_time/1/ends_with not_any_time"]) {
            $0.anyTime[1].endsWith = "prompts"
        },
        Broken("an end that refers to something else", ["/any_time/1/ends_with does_not_refer"]) {
            $0.anyTime[1].endsWith = "page"
        },
        Broken("a reference to an unknown questionnaire", ["/any_time/2/refers_to unknown_questionnaire"]) {
            $0.anyTime[2].refersTo = .init(questionnaire: "nothing")
        },
        Broken("a reference to itself", ["/any_time/4/refers_to cycle"]) {
            $0.anyTime[4].refersTo = .init(questionnaire: "page")
        },
        Broken("a cycle of references", ["/any_time/0/refers_to cycle"]) {
            $0.anyTime[0].refersTo = .init(questionnaire: "page")
        },
        Broken("too many entries", ["/any_time too_many"]) {
            $0.anyTime += (0..<500).map { AnyTimeRule(questionnaire: "q\($0)") }
        },
    ]

    static let brokenSettings = [
        Broken("an unknown setting", ["/settings/1 unknown_questionnaire"]) { $0.settings.append("nothing") },
        Broken("a setting listed twice", ["/settings/1 duplicate"]) { $0.settings.append("prompts") },
        Broken("a setting for any time", ["/settings/0 also_any_time"]) { $0.anyTime.append("prompts") },
        Broken("a setting that a schedule asks", ["/settings/0 also_scheduled"]) {
            var schedule = $0.schedules[0]
            (schedule.id, schedule.questionnaire) = ("again", "prompts")
            $0.schedules.append(schedule)
        },
        Broken("a required setting without a default", ["/settings/0 no_default"]) {
            $0.questionnaires[5].item[0].initial = nil
        },
        Broken("an item in two settings", ["/settings/1 duplicate_item"]) {
            $0.questionnaires.append(setting("look", item: "many"))
            $0.settings.append("look")
        },
    ]

    static let brokenFeatures = [
        Broken("an invalid code", ["/features/2/code invalid_name"]) {
            $0.features[2].code = "Look"
            let label = $0.text["en"]?.features.removeValue(forKey: "look-back")
            $0.text["en"]?.features["Look"] = label
        },
        Broken("a code twice", ["/features/3/code duplicate"]) { $0.features.append($0.features[2]) },
        Broken("a questionnaire that does not exist", ["/features/2/questionnaire unknown_questionnaire"]) {
            $0.features[2].questionnaire = "nothing"
        },
        Broken("settings that are none", ["/features/2/settings unknown_setting"]) {
            $0.features[2].settings = "mood"
        },
        Broken("a page without its questionnaire", ["/features/2 no_questionnaire"]) {
            $0.features[2].page = .journal
        },
        Broken("a walk in a study without walks", ["/features/2/page no_walks"]) {
            $0.features[2].page = .walk
            $0.walking = nil
        },
        Broken("a page that shows a collection", ["/features/2 no_collection"]) {
            $0.features[2].page = .cards
        },
        Broken("programmes in a study without practices", ["/features/2/page no_practices"]) {
            $0.features[2].page = .programmes
        },
        Broken("a page of a capability that does not exist", ["/features/2/page not_available"]) {
            $0.features[2].page = .groups
        },
        Broken("a missing text", ["/text/en/features missing_text"]) {
            $0.text["en"]?.features["look-back"] = nil
        },
        Broken("an empty text", ["/text/en/features/mood/text missing_text"]) {
            $0.text["en"]?.features["mood"]?.text = " "
        },
        Broken("the text of no feature", ["/text/en/features/extra unknown_feature"]) {
            $0.text["en"]?.features["extra"] = TitledText(title: "T", text: "T")
        },
    ]

    @Test(arguments: brokenEntries + brokenSettings + brokenFeatures)
    func `a broken definition is reported`(_ broken: Broken) throws {
        #expect(try faults { broken.change(&$0) } == broken.expected)
    }

    @Test func `a required setting that is shown conditionally needs no default`() throws {
        let found = try faults {
            $0.questionnaires[5].item[0].initial = nil
            $0.questionnaires[5].item[0].enableWhenExpression = "true"
        }

        #expect(found == [])
    }

    @Test func `the short form of a feature infers questionnaire, settings and page`() throws {
        let study = try Self.validStudy()
        let completed = study.features.map { study.completed($0) }

        #expect(
            completed == [
                StudyFeature(code: "mood", page: .entry, questionnaire: "mood", settings: "prompts"),
                StudyFeature(code: "prompts", settings: "prompts"),
                StudyFeature(code: "look-back", page: .entries),
            ])
    }
}
