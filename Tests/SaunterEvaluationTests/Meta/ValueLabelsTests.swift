import SaunterCore
import SaunterStore
import Testing

@testable import SaunterEvaluation

/// That the codebook explains every code that is written.
@Suite struct ValueLabelsTests {
    private static let tables = [
        Tables.participants, Tables.enrolments, Tables.armChanges, Tables.occasions, Tables.sheets,
        Tables.revisions, Tables.scores, Tables.scoreChanges, Tables.scoreWindows, Tables.walks,
        Tables.observations, Tables.usageEvents, Tables.reminders, Tables.tombstones,
    ]

    private func codes(of column: String, in table: String) throws -> [String] {
        let columns = try #require(Self.tables.first { $0.name == table }?.columns)
        let set = try #require(columns.first { $0.name == column }?.valueSet)
        return ValueLabels.fixedSets.filter { $0.set == set }.flatMap { $0.codes.map(\.code) }
    }

    /// Of each column with codes of Saunter's own: the table, the column, and every code that is ever written to it.
    private static let written: [(String, String, [String])] = [
        ("reminders", "suppressed_why", words(SuppressionReason.self)),
        ("reminders", "outcome", outcomes),
        ("reminders", "state", words(ReminderState.self)),
        ("reminders", "kind", words(PromptKind.self)),
        ("reminders", "channel", words(ReminderChannel.self)),
        ("enrolments", "status", words(EnrolmentState.self)),
        ("participants", "status", words(EnrolmentState.self)),
        ("enrolments", "allocation_method", words(Allocation.Method.self)),
        ("usage_events", "event", words(UsageEventSubmission.Event.self)),
        ("observations", "modality", words(Observation.Modality.self)),
        ("occasions", "status", words(OccasionState.self)),
        ("occasions", "missing", missing),
        ("sheets", "standing", words(Standing.self)),
        ("scores", "reason", words(ScoreReason.self)),
        ("score_changes", "baseline_rule", words(ChangeRule.Baseline.self)),
        ("score_changes", "verdict", words(ScoreChange.Verdict.self)),
        ("score_changes", "reason", words(ScoreChange.Reason.self)),
    ]
    private static let outcomes: [String] =
        words(ReminderState.self) + words(DeliveryFault.self) + words(SuppressionReason.self)
    private static let missing: [String] = MissingReason.allCases.map(\.code)

    private static func words<Code: RawRepresentable & CaseIterable>(_ type: Code.Type) -> [String]
    where Code.RawValue == String {
        type.allCases.map(\.rawValue)
    }

    @Test(arguments: written)
    func `every code that a column may hold is explained, and no other`(
        table: String, column: String, written: [String]
    ) throws {
        #expect(try codes(of: column, in: table).sorted() == written.sorted())
    }

    @Test func `each set of codes stands there once, each code with a label that every format can hold`() {
        let sets = ValueLabels.fixedSets.map(\.set)
        #expect(Set(sets).count == sets.count)
        for (set, codes) in ValueLabels.fixedSets {
            #expect(Set(codes.map(\.code)).count == codes.count, "\(set)")
            #expect(codes.allSatisfy { (1...120).contains($0.label.utf8.count) }, "\(set)")
        }
        let named = Set(Self.tables.flatMap(\.columns).compactMap(\.valueSet))
        #expect(named == Set(sets))
    }
}
