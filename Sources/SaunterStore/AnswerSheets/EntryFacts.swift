import Postgres
import SaunterCore

/// What the rules of entries and data kinds need to know about a new sheet from the database.
package struct EntryFacts: Sendable {
    /// The sheet that the new sheet names in `refers_to`; nil if the enrolment has none with this id.
    package var referred: ReferredEntry?
    /// The number of other sheets of the questionnaire that count on the local date of the sheet. 0 if there is no
    /// maximum.
    package var countOnDate = 0
    /// The participant's permissions. Empty if the questionnaire needs none.
    package var grants: [DataKindGrant] = []

    /// Creates the facts; by default of a sheet without links, limits and data kinds.
    package init(referred: ReferredEntry? = nil, countOnDate: Int = 0, grants: [DataKindGrant] = []) {
        self.referred = referred
        self.countOnDate = countOnDate
        self.grants = grants
    }
}

/// Which facts are read. A sheet without links, maximum and data kinds needs none.
package struct EntryFactsQuery: Sendable {
    /// The enrolment of the sheet.
    package var enrolment: EnrolmentID
    /// The id of the new sheet. It does not count itself.
    package var sheet: SheetID
    /// The code of the questionnaire.
    package var questionnaire: String
    /// The sheet that the new sheet names; nil for none.
    package var refersTo: SheetID?
    /// The rule of the questionnaire to which the new sheet may refer; nil if entries of it do not end.
    package var referredRule: AnyTimeRule?
    /// The local date whose sheets are counted; nil if the questionnaire has no maximum.
    package var limitedOn: LocalDate?
    /// Whether permissions are read.
    package var includesGrants: Bool

    /// Creates a query for one sheet.
    package init(
        enrolment: EnrolmentID, sheet: SheetID, questionnaire: String, refersTo: SheetID? = nil,
        referredRule: AnyTimeRule? = nil, limitedOn: LocalDate? = nil, includesGrants: Bool = false
    ) {
        self.enrolment = enrolment
        self.sheet = sheet
        self.questionnaire = questionnaire
        self.refersTo = refersTo
        self.referredRule = referredRule
        self.limitedOn = limitedOn
        self.includesGrants = includesGrants
    }
}

extension Store {
    /// The facts for a new sheet, in one round trip. Makes no query if the sheet needs none of them.
    package func findEntryFacts(_ query: EntryFactsQuery) async throws -> EntryFacts {
        var calls: [(Statement, Arguments)] = []
        if let sheet = query.refersTo {
            calls.append(
                (
                    Statements.answerSheets["find_referred_sheet"],
                    ["enrolment_id": .id(query.enrolment), "sheet_id": .id(sheet)]
                ))
            calls.append(
                Self.entryRecordsCall(of: query.enrolment, query.referredRule.map { [$0] } ?? []))
        }
        if let date = query.limitedOn {
            calls.append(
                (
                    Statements.answerSheets["count_entries_on_date"],
                    [
                        "enrolment_id": .id(query.enrolment), "questionnaire": .text(query.questionnaire),
                        "local_date": .localDate(date), "except_id": .id(query.sheet),
                    ]
                ))
        }
        if query.includesGrants { calls.append(Self.dataKindGrantsCall(of: [query.enrolment])) }
        guard !calls.isEmpty else { return EntryFacts() }
        var results = try await research.pipeline(calls)[...]
        var facts = EntryFacts()
        if let sheet = query.refersTo, let found = results.popFirst(), let records = results.popFirst() {
            facts.referred = try found.oneOrNone().map { row in
                let episodes = ActiveEntries(
                    query.referredRule.map { [$0] } ?? [], try records.map(Self.entryRecord)
                ).episodes
                return ReferredEntry(
                    questionnaire: try row.get("questionnaire"),
                    isDeleted: try row.instantOptional("deleted_at") != nil,
                    endedAt: episodes.first { $0.entry == sheet }?.ended)
            }
        }
        if query.limitedOn != nil, let counted = results.popFirst() {
            facts.countOnDate = try counted.one().get("count")
        }
        if query.includesGrants, let grants = results.popFirst() {
            facts.grants = try grants.map(Self.dataKindGrant)
        }
        return facts
    }

    /// The entries that are active now.
    /// - Parameter rules: the rules of `any_time`. Those without `active: one` are ignored.
    package func findActiveEntries(
        of enrolment: EnrolmentID, _ rules: [AnyTimeRule]
    ) async throws -> ActiveEntries {
        let rules = rules.filter(\.isActiveOne)
        guard !rules.isEmpty else { return ActiveEntries([], []) }
        let (statement, arguments) = Self.entryRecordsCall(of: enrolment, rules)
        return ActiveEntries(
            rules, try await research.query(statement, arguments).map(Self.entryRecord))
    }

    /// The call that reads the sheets that determine which entries of these questionnaires are active.
    private static func entryRecordsCall(
        of enrolment: EnrolmentID, _ rules: [AnyTimeRule]
    ) -> (Statement, Arguments) {
        let questionnaires = rules.flatMap { [$0.questionnaire] + ($0.endsWith.map { [$0] } ?? []) }
        return (
            Statements.answerSheets["list_entry_records"],
            ["enrolment_id": .id(enrolment), "questionnaires": .texts(questionnaires)]
        )
    }

    @Sendable private static func entryRecord(_ row: Row) throws -> EntryRecord {
        EntryRecord(
            id: try row.id("sheet_id"), questionnaire: try row.get("questionnaire"),
            completedAt: try row.instant("completed_at"), refersTo: try row.idOptional("refers_to"),
            deletedAt: try row.instantOptional("deleted_at"))
    }
}
