import SaunterCore
import SaunterPacks
import SaunterStore
import Testing

@testable import SaunterEvaluation

/// Checks that the value labels explain every code in the dataset.
@Suite struct ValueLabelsTests {
    private static func tables() throws -> [Table] {
        let study = try StudyPack.read(Garden.pack("garden-2"), study: "garden").study
        let version = StudyDefinitions.Version(
            version: "2.0.0", digest: "", study: study, fhirMappings: [:])
        let definitions = StudyDefinitions(code: "garden", versions: [version])
        return fixedTables + [Tables.variables(definitions, .coded)]
    }

    private static let fixedTables = [
        Tables.participants, Tables.enrolments, Tables.armChanges, Tables.occasions, Tables.sheets,
        Tables.revisions, Tables.scores, Tables.scoreChanges, Tables.scoreWindows, Tables.walks,
        Tables.observations, Tables.usageEvents, Tables.reminders, Tables.tombstones, Tables.episodes,
    ]

    private func codes(of column: String, in table: String) throws -> [String] {
        let columns = try #require(Self.tables().first { $0.name == table }?.columns)
        let set = try #require(columns.first { $0.name == column }?.valueSet)
        return ValueLabels.fixedSets.filter { $0.set == set }.flatMap { $0.codes.map(\.code) }
    }

    /// For each column with codes that Saunter defines: the table, the column, and every code that it can contain.
    private static let written: [(String, String, [String])] = [
        ("reminders", "suppressed_why", words(SuppressionReason.self)),
        ("reminders", "outcome", outcomes),
        ("reminders", "state", words(ReminderState.self)),
        ("reminders", "kind", words(ReminderKind.self)),
        ("reminders", "channel", words(ReminderChannel.self)),
        ("enrolments", "status", words(EnrolmentState.self)),
        ("participants", "status", words(EnrolmentState.self)),
        ("enrolments", "allocation_method", words(Allocation.Method.self)),
        ("enrolments", "account_kind", words(AccountKind.self)),
        ("usage_events", "event", words(UsageEventKind.self)),
        ("observations", "modality", words(Observation.Modality.self)),
        ("occasions", "status", words(OccasionState.self)),
        ("occasions", "missing", missing),
        ("sheets", "standing", words(Timeliness.self)),
        ("episodes", "why", words(EntryEpisode.End.self)),
        ("variables", "reason", words(VariableValue.Reason.self)),
        ("scores", "reason", words(ScoreReason.self)),
        ("score_changes", "baseline_rule", words(ChangeRule.Baseline.self)),
        ("score_changes", "verdict", words(ChangeRule.Verdict.self)),
        ("score_changes", "reason", words(ChangeRule.Reason.self)),
    ]
    private static let outcomes: [String] =
        words(ReminderState.self) + words(DeliveryFault.self) + words(SuppressionReason.self)
    private static let missing: [String] = MissingReason.allCases.map(\.code)

    private static func words<Code: RawRepresentable & CaseIterable>(_ type: Code.Type) -> [String]
    where Code.RawValue == String {
        type.allCases.map(\.rawValue)
    }

    @Test(arguments: written)
    func `every possible code of a column is explained, and no other`(
        table: String, column: String, written: [String]
    ) throws {
        #expect(try codes(of: column, in: table).sorted() == written.sorted())
    }

    @Test func `each set of codes is unique, and each label fits into every format`() throws {
        let sets = ValueLabels.fixedSets.map(\.set)
        #expect(Set(sets).count == sets.count)
        for (set, codes) in ValueLabels.fixedSets {
            #expect(Set(codes.map(\.code)).count == codes.count, "\(set)")
            #expect(codes.allSatisfy { (1...120).contains($0.label.utf8.count) }, "\(set)")
        }
        let tables = try Self.tables() + [Tables.decisions]
        let named = Set(tables.flatMap(\.columns).compactMap(\.valueSet))
        // The items of the library have the labels of its live edition.
        #expect(named.subtracting([ContentLabels.columnSet]) == Set(sets))
    }
}
