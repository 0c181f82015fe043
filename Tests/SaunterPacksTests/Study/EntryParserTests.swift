import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// The keys `any_time`, `settings`, `features` and `data_kinds` of `study.yaml`.
@Suite struct EntryParserTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Acceptance/packs/small-steps").standardizedFileURL

    private static func files() throws -> PackFiles {
        try PackFiles.load(directory: root.appending(path: "studies/small-steps").path)
    }

    @Test func `entries with all rules are read`() throws {
        let study = try StudyPack.read(try Self.files(), study: "small-steps").study

        #expect(
            study.anyTime == [
                AnyTimeRule(questionnaire: "step_mood", maximumPerDay: 3, fulfilledSchedule: "daily_mood"),
                AnyTimeRule(questionnaire: "promise", isActiveOne: true, endsWith: "promise_end"),
                AnyTimeRule(questionnaire: "promise_kept", refersTo: .init(questionnaire: "promise")),
                AnyTimeRule(questionnaire: "promise_end", refersTo: .init(questionnaire: "promise")),
                AnyTimeRule(
                    questionnaire: "page", refersTo: .init(questionnaire: "step_mood", isRequired: false)),
            ])
        #expect(study.settings == ["prompts", "look"])
    }

    @Test func `features and data kinds are read with their texts`() throws {
        let study = try StudyPack.read(try Self.files(), study: "small-steps").study

        #expect(
            study.features == [
                StudyFeature(code: "mood", page: .entry, questionnaire: "step_mood", settings: "prompts"),
                StudyFeature(code: "promises", page: .goal, questionnaire: "promise"),
                StudyFeature(code: "page"),
            ])
        #expect(
            study.dataKinds == [
                DataKind(code: "location"),
                DataKind(
                    code: "heart_rate", walkSeries: [.heartRate],
                    observations: [.init(system: "http://loinc.org", code: "8867-4")]),
            ])
        #expect(study.text["en"]?.features["mood"] == TitledText(title: "Mood", text: "Record how you are."))
        #expect(study.text["en"]?.dataKinds["location"]?.title == "Place")
    }

    @Test(arguments: [
        ("any_time: [{max_per_day: 3}]", "\"questionnaire\" is missing"),
        (
            "any_time: [{questionnaire: a, settle: b}]",
            "\"settle\" is not a key of any_time; did you mean \"settles\"?"
        ),
        ("any_time: [{questionnaire: a, active: many}]", "expected one of one, found \"many\""),
        ("any_time: [{questionnaire: a, refers_to: {required: false}}]", "\"questionnaire\" is missing"),
        (
            "any_time: [{questionnaire: a, refers_to: {questionnaire: b, require: no}}]",
            "\"require\" is not a key of refers_to; did you mean \"required\"?"
        ),
        ("settings: [{code: a}]", "expected a text, found a mapping"),
        ("features: [{page: entry}]", "\"code\" is missing"),
        (
            "features: [{code: a, page: entrie}]",
            "expected one of entry, journal, goal, ranking, contacts, cards, player, pacer, entries, insights, "
                + "programmes, report, groups, walk, found \"entrie\"; did you mean \"entries\"?"
        ),
        ("data_kinds: [location]", "a data kind must be a mapping, not a text"),
        (
            "data_kinds: [{code: a, walk_series: [speed]}]",
            "expected one of speed_kmh, heart_rate_bpm, distance_m, active_energy_kcal, found \"speed\""
        ),
        ("data_kinds: [{code: a, observations: [{code: 8867-4}]}]", "\"system\" is missing"),
    ])
    func `a part that cannot be read is reported`(yaml: String, message: String) throws {
        let log = FaultLog(file: "study.yaml")
        let root = try #require(YAMLReader.read("\(yaml)\n", log: log))
        let keys = ["any_time", "settings", "features", "data_kinds"]
        let fields = try #require(Fields(root, of: "study.yaml", keys: keys, log: log))

        _ = fields.optional("any_time") { $0.list($1, of: AnyTimeParser.rule) }
        _ = fields.optional("settings") { $0.list($1, of: { $0.text($1) }) }
        _ = fields.optional("features") { $0.list($1, of: FeatureParser.feature) }
        _ = fields.optional("data_kinds") { $0.list($1, of: DataKindParser.kind) }

        #expect(log.faults.map(\.message).contains(message), "\(log.faults.map(\.message))")
    }

    @Test(arguments: [
        (
            "study.yaml", "settles: daily_mood", "settles: nightly_mood",
            "study.yaml:21: The study has no schedule nightly_mood."
        ),
        (
            "study.yaml", "settings: [prompts, look]", "settings: [prompts]",
            "study.yaml:19: No schedule asks this questionnaire, and it is not listed in any_time or settings."
        ),
        (
            "study.yaml", "  - page\n", "  - {code: page, page: cards}\n",
            "study.yaml:30: A page of kind cards needs the key `collection`."
        ),
        (
            "study.yaml", "  - {code: location}\n", "",
            "content/text.en.yaml:10: The study has no data kind location."
        ),
        (
            "content/text.en.yaml", "  promises: {title: Promises, text: What you want to do.}\n", "",
            "content/text.en.yaml:5: There is no text for feature promises."
        ),
    ])
    func `a violated rule is reported with file and line`(
        file: String, passage: String, other: String, fault: String
    ) throws {
        let folder = "studies/small-steps/"
        let files = try Self.files().replacing(passage, with: other, in: folder + file)

        let faults = #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "small-steps") }

        let found = faults?.list.map { "\($0.description.dropFirst(folder.count))" } ?? []
        #expect(found.contains(fault), "\(found)")
    }
}
