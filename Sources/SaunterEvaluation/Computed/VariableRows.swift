import Postgres
import SaunterCore
import SaunterStore

/// Computes the rows of `variables`: one row per variable, and one per key of a keyed variable. Participants are read
/// one after the other.
struct VariableRows: ComputedRows {
    private let asOf: Instant
    private let study: String
    private let loader: VariableFactsLoader
    /// By version of the study.
    private let included: [String: IncludedVariables]

    init(_ snapshot: DatasetSnapshot, _ records: SnapshotRecords) {
        asOf = snapshot.asOf
        study = snapshot.definitions.code
        let instruments = Set(snapshot.definitions.instruments.map(\.code))
        let included = Dictionary(
            snapshot.definitions.versions.map {
                ($0.version, IncludedVariables($0, instruments: instruments, snapshot.profile))
            }, uniquingKeysWith: { first, _ in first })
        self.included = included
        loader = VariableFactsLoader(reading: records) { _, version in included[version]?.published }
    }

    nonisolated(nonsending) func rows(of enrolments: [ComputedEnrolment]) async throws -> [JSON] {
        var rows: [JSON] = []
        for enrolment in enrolments {
            guard let variables = included[enrolment.studyVersion], !variables.ids.isEmpty else { continue }
            let facts = try await loader.facts(
                of: enrolment.id, enrolledAt: enrolment.enrolledAt, in: study, variables.needs,
                study: variables.published)
            let plan = variables.published.variables
            for value in plan.values(of: variables.ids, from: facts, at: asOf) {
                rows += Self.rows(value, plan.shape(of: value.variable)).map { row in
                    var row = row
                    row["enrolment_id"] = .string(enrolment.id.description)
                    return .object(row)
                }
            }
        }
        return rows
    }

    /// The row of the variable, whose key is blank, and the rows of its keys.
    static func rows(_ value: VariableValue, _ shape: VariableShape?) -> [JSONObject] {
        // Several values at once are keys, which have rows.
        let isListOfKeys = value.entries != nil && value.value.isSeveral
        let whole = VariableValue.Entry(
            key: "", value: isListOfKeys ? .blank : value.value, n: value.n, reason: value.reason,
            best: value.best, lastOn: value.lastOn)
        let entries = [whole] + (value.entries ?? [])
        return entries.enumerated().map { index, entry in
            var row = cells(of: entry.value)
            row["variable"] = .string(value.variable)
            row["key"] = .string(entry.key)
            row["key_type"] = .string(index == 0 ? "text" : keyType(shape))
            row["n"] = .int(entry.n)
            row["reason"] = entry.reason.map { .string($0.rawValue) }
            row["best"] = entry.best.map { .int($0) }
            row["last_on"] = entry.lastOn.map { .string($0.description) }
            row["window_from"] = value.window.map { .string($0.lowerBound.description) }
            row["window_to"] = value.window.map { .string($0.upperBound.description) }
            return row
        }
    }

    private static func keyType(_ shape: VariableShape?) -> String {
        switch shape?.key {
        case .date: "date"
        case .sheet: "sheet"
        default: "text"
        }
    }

    /// `value` for a number or boolean, otherwise `code` and its type. No members for a blank.
    private static func cells(of value: ExpressionValue) -> JSONObject {
        switch value {
        case .blank: return [:]
        case .number(let number): return ["value": .double(number.double)]
        case .boolean(let truth): return ["value": .int(truth ? 1 : 0)]
        case .several(let values):
            let parts = values.compactMap(part)
            guard let first = parts.first else { return [:] }
            return [
                "code": .string(parts.map(\.text).joined(separator: "|")), "code_type": .string(first.type),
            ]
        case .text, .date, .time, .instant:
            guard let part = part(of: value) else { return [:] }
            return ["code": .string(part.text), "code_type": .string(part.type)]
        }
    }

    /// A value as text, with its type for `ColumnForm.typed`. Nil for a blank.
    private static func part(of value: ExpressionValue) -> (text: String, type: String)? {
        switch value {
        case .blank, .several: nil
        case .number(let number): (JSON.double(number.double).text, "text")
        case .boolean(let truth): (truth ? "1" : "0", "text")
        // An expression over the keys of a variable can have the ids of sheets as its value.
        case .text(let text): (text, SheetID(text) == nil ? "text" : "sheet")
        case .date(let date): (date.description, "date")
        case .time(let time): (text(of: time), "text")
        case .instant(let instant): (instant.description, "instant")
        }
    }

    /// `hh:mm:ss`, like the cells of other tables.
    private static func text(of time: LocalTime) -> String {
        [time.hour, time.minute, time.second].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

extension ExpressionValue {
    fileprivate var isSeveral: Bool { if case .several = self { true } else { false } }
}
