import SaunterCore

/// The values that sort the sheets of one participant, named as the columns of a table. They are compared in this
/// order: a later one only sorts sheets that are equal in all earlier ones.
enum SheetOrder: String, CaseIterable {
    case completion = "submitted_at"
    case studyDay = "study_day"
    case start = "started_at"

    /// The value of a sheet as a number that can be compared. Nil if the sheet has none.
    func position(of sheet: ReportSheet) -> Int64? {
        switch self {
        case .completion: sheet.completedAt?.milliseconds
        case .studyDay: sheet.day.map { Int64($0) }
        case .start: sheet.startedAt?.milliseconds
        }
    }

    /// Whether the first sheet is before the second one; nil if both have equal values. A blank is before all values.
    static func isBefore(_ first: ReportSheet, _ second: ReportSheet) -> Bool? {
        for order in allCases {
            let (left, right) = (order.position(of: first) ?? .min, order.position(of: second) ?? .min)
            if left != right { return left < right }
        }
        return nil
    }
}

extension [ReportSheet] {
    /// The sheets of each participant in the order of `SheetOrder`, sorted by participant. Equal sheets keep their
    /// order. Nil if a sheet has no participant.
    var byParticipant: [[ReportSheet]]? {
        guard allSatisfy({ $0.pseudonym != nil }) else { return nil }
        let groups = Dictionary(grouping: enumerated()) { $0.element.pseudonym ?? "" }
        return groups.sorted { $0.key < $1.key }.map { _, sheets in
            sheets.sorted {
                SheetOrder.isBefore($0.element, $1.element) ?? ($0.offset < $1.offset)
            }.map(\.element)
        }
    }
}

/// A table whose columns do not sort the sheets of each participant. A report of it would depend on the order of the
/// rows. The description names columns and lines, and never quotes the content of a cell.
package struct SheetOrderFault: Error, Sendable, Hashable, CustomStringConvertible {
    private static let maximumReasons = 3

    /// The number of participants whose sheets have an ambiguous order.
    package let participantCount: Int
    /// The reasons for the first three of these participants, in the order of the lines.
    package let reasons: [String]

    /// Nil if the order is unambiguous. A participant with one sheet needs no order.
    /// - Parameter participants: the sheets of each participant as `byParticipant` sorts them. Sheets with equal
    ///   values are therefore adjacent. Among sheets that are equal in all earlier columns, blanks come first, so the
    ///   last blank is next to the first value.
    init?(_ participants: [[ReportSheet]]) {
        let found = participants.compactMap { sheets -> (line: Int, reason: String)? in
            for (first, second) in zip(sheets, sheets.dropFirst()) {
                guard let reason = Self.reason(first, second) else { continue }
                return (min(first.line ?? 0, second.line ?? 0), reason)
            }
            return nil
        }
        guard !found.isEmpty else { return nil }
        participantCount = found.count
        reasons = found.sorted { $0.line < $1.line }.prefix(Self.maximumReasons).map(\.reason)
    }

    /// Why the order of two adjacent sheets is ambiguous. Nil if the second sheet is after the first one.
    private static func reason(_ first: ReportSheet, _ second: ReportSheet) -> String? {
        let (firstLine, secondLine) = (first.line ?? 0, second.line ?? 0)
        var equal: [String] = []
        for order in SheetOrder.allCases {
            let (left, right) = (order.position(of: first), order.position(of: second))
            if left == right {
                if left != nil { equal.append(order.rawValue) }
            } else if left == nil {
                return "line \(firstLine) has no \(order.rawValue), but line \(secondLine) has one"
            } else {
                return nil
            }
        }
        let lines = "lines \(min(firstLine, secondLine)) and \(max(firstLine, secondLine))"
        guard !equal.isEmpty else { return "\(lines) have no \(Self.columns.joined(separator: ", no "))" }
        return "\(lines) have the same \(equal.joined(separator: " and the same "))"
    }

    private static var columns: [String] { SheetOrder.allCases.map(\.rawValue) }

    /// One line that names the lines of the table.
    package var description: String {
        let more = participantCount > reasons.count ? "; and \(participantCount - reasons.count) more" : ""
        let participants = participantCount == 1 ? "1 participant" : "\(participantCount) participants"
        return """
            the order of the sheets of \(participants) is ambiguous: \(reasons.joined(separator: "; "))\(more). \
            The report sorts the sheets of a participant by \(Self.columns.joined(separator: ", then by ")). \
            Add values that are different for each sheet of a participant
            """
    }
}
