import SaunterCore

/// An answer that is stored in `research.answer_sheet.numbers`. `sql` returns the expression that reads it as text from
/// the row `r` of the table's statement; see `StoredLayout`.
struct StoredNumber {
    let type: ItemType
    /// Its index among the numbers of the sheet, from 0.
    let index: Int

    /// The numbers of a version in storage order.
    static func all(of questionnaire: Questionnaire) -> [StoredNumber] {
        let codec = AnswerCodec(questionnaire)
        return questionnaire.questions.flatMap { item in
            (codec.numberIndices(of: item.linkId) ?? 0..<0).map { StoredNumber(type: item.type, index: $0) }
        }.sorted { $0.index < $1.index }
    }

    /// The number as text. The profile `deidentified` shifts dates. The parts of a location are not read.
    func sql(_ profile: DatasetProfile) -> String {
        if type.form == .location { return "null::text" }
        guard profile == .deidentified else { return "(\(value))::text" }
        return switch type.columnType {
        case .date: ColumnForm.shiftedDate("(\(value))::text")
        case .instant: ColumnForm.shiftedInstant("(\(value))::text")
        default: "(\(value))::text"
        }
    }

    /// The expression that reads the number in the SQL type of its item.
    var value: String {
        let number = "r.numbers[\(index + 1)]"
        return switch type.columnType {
        case .integer: "\(number)::bigint"
        case .date: "date '1970-01-01' + \(number)::integer"
        case .time: "time '00:00' + make_interval(secs => \(number))"
        case .instant:
            "to_char(to_timestamp(\(number) / 1000) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
        case .number, .string, .boolean, .local: number
        }
    }
}
