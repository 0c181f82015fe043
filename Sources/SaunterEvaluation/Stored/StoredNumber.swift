import SaunterCore

/// An answer that is stored as a number: SQL over the raw row `r` that writes it.
struct StoredNumber {
    let type: ItemType
    /// Its place among the sheet's numbers, from 0.
    let place: Int

    /// Those of a version, in the order of storage.
    static func all(of questionnaire: Questionnaire) -> [StoredNumber] {
        let codec = AnswerCodec(questionnaire)
        return questionnaire.questions.compactMap { item in
            codec.numberIndex(of: item.linkId).map { StoredNumber(type: item.type, place: $0) }
        }.sorted { $0.place < $1.place }
    }

    /// Its text; in a release that moves dates, a moved one.
    func sql(_ profile: DatasetProfile) -> String {
        guard profile == .deidentified else { return "(\(value))::text" }
        return switch type.columnType {
        case .date: ColumnForm.movedDate("(\(value))::text")
        case .instant: ColumnForm.movedInstant("(\(value))::text")
        default: "(\(value))::text"
        }
    }

    private var value: String {
        let number = "r.numbers[\(place + 1)]"
        return switch type {
        case .integer: "\(number)::bigint"
        case .date: "date '1970-01-01' + \(number)::integer"
        case .time: "time '00:00' + make_interval(secs => \(number))"
        case .dateTime:
            "to_char(to_timestamp(\(number) / 1000) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
        case .decimal, .quantity, .boolean, .choice, .openChoice, .ranking, .group, .display, .string, .text:
            number
        }
    }
}
