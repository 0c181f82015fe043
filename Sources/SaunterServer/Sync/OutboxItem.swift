import SaunterCore

/// One thing of a device's outbox, as far as it can be told without the database.
struct OutboxItem: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        // In the order in which they are taken: the later may refer to the earlier.
        case calibration, walk, observation
        case usageEvent = "usage_event"
        case sheet = "answer_sheet"
        case correction, deletion
    }

    /// Its place among those that are taken together.
    private(set) var place: Int
    /// As sent; empty where there is none.
    let kindText: String
    let id: String
    /// The body as for the single request, without `client_now`.
    let body: JSONObject
    /// The device's clock when it was sent, where the outbox as a whole does not say it.
    let clientNow: JSON?
    /// Its number among all that the device hands in; nil where it counts nothing.
    let sequence: Int64?
    /// What is wrong with its form, each with its place in the item.
    let faults: [Fault]

    /// - Parameter refused: what the reader found in the item, with its place in the whole body.
    init(place: Int, json: JSON, refused: [Fault]) {
        self.init(place: place, line: json, refused: refused.map(Self.inItem))
    }

    /// An item that stands for itself.
    /// - Parameter refused: what the reader found in it.
    init(place: Int, line json: JSON, refused: [Fault]) {
        self.place = place
        kindText = json["kind"]?.string ?? ""
        id = json["id"]?.string ?? ""
        body = json["body"]?.object ?? [:]
        clientNow = json["client_now"]
        sequence = json["sequence"]?.int.flatMap { (1...Self.mostSequence).contains($0) ? Int64($0) : nil }
        faults = refused + Self.schema.faults(in: json)
    }

    /// The same among others.
    func moved(to place: Int) -> OutboxItem {
        var item = self
        item.place = place
        return item
    }

    var kind: Kind? { Kind(rawValue: kindText) }

    /// The occasion that a sheet names.
    var occasion: String? { body["occasion_id"]?.string }

    /// As far as every JSON reader tells whole numbers apart.
    private static let mostSequence = (1 << 53) - 1

    private static let schema = Schema.object([
        .required("kind", .string(values: Kind.allCases.map(\.rawValue))), .required("id", .id),
        .required("body", .map(of: .any)), .optional("client_now", .instant),
        .optional("sequence", .integer(min: 1, max: mostSequence)),
    ])

    /// The same fault with its place in the item: `/items/7/body/x` stands at `/body/x`.
    private static func inItem(_ fault: Fault) -> Fault {
        let rest = fault.pointer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            .dropFirst(3)
        return Fault(
            pointer: rest.first.map { "/\($0)" } ?? "", code: fault.code, detail: fault.detail)
    }
}

extension OutboxItem {
    /// Sheets in waves: those of one wave can be handed in at once, for no two of them have one id or are for one occasion, and whoever comes
    /// first in the outbox comes in an earlier wave.
    /// - Parameter isPlaced: whether sheets of this questionnaire are for an occasion even when they name none.
    static func waves(_ sheets: [OutboxItem], isPlaced: (_ questionnaire: String) -> Bool) -> [[OutboxItem]] {
        var next: [String: Int] = [:]
        var waves: [[OutboxItem]] = []
        for sheet in sheets {
            var keys = ["id \(sheet.id.lowercased())"]
            if let occasion = sheet.occasion {
                keys.append("occasion \(occasion.lowercased())")
            } else if let questionnaire = sheet.body["questionnaire"]?.string, isPlaced(questionnaire) {
                keys.append("questionnaire \(questionnaire)")
            }
            let wave = keys.compactMap { next[$0] }.max() ?? 0
            for key in keys { next[key] = wave + 1 }
            if wave == waves.count { waves.append([]) }
            waves[wave].append(sheet)
        }
        return waves
    }
}
