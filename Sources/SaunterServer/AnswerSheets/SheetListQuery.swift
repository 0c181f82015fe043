import SaunterCore
import SaunterStore

/// The filters and the order of a list of answer sheets, from the query of the request.
struct SheetListQuery: Sendable {
    static let parameters: [QueryParameter] = [
        QueryParameter(
            "questionnaire", .string(minLength: 1, maxLength: 24), "Only sheets of this questionnaire."),
        QueryParameter(
            "from", .string(format: .date), "Only sheets that were completed on this local date or later."),
        QueryParameter(
            "to", .string(format: .date), "Only sheets that were completed on this local date or earlier."),
        QueryParameter(
            "order", .string(minLength: 1, maxLength: 40),
            """
            `received` (default), `completed`, or `item:` and the `linkId` of a date item of the questionnaire. The \
            newest sheet is the first one. Sheets without the date come last.
            """),
        QueryParameter("active", .boolean, "If true, only active entries."),
        QueryParameter("refers_to", .id, "Only sheets about this sheet."),
        QueryParameter(
            "latest", .boolean,
            "If true, only the newest sheet of each questionnaire by completion, of those that fulfil the filters."
        ),
        .limit, .cursor,
    ]

    let filter: SheetFilter
    let order: SheetOrder
    let isActiveOnly: Bool
    let isLatestOnly: Bool
    /// The order as in the query. A cursor belongs to one order.
    private let orderText: String

    /// - Parameters:
    ///   - studies: the study versions that the enrolment has followed. A sheet belongs to one of them.
    /// - Throws: `request-invalid` with every fault.
    init(_ call: Call<Identity>, studies: [PublishedStudy]) throws(Problem) {
        var faults: [Fault] = []
        let code = call.query("questionnaire")
        let versions = code.map { code in studies.compactMap { $0.questionnaires[code] } } ?? []
        if code != nil, versions.isEmpty {
            faults.append(
                Fault(
                    pointer: "/questionnaire", code: "unknown_questionnaire",
                    detail: "The study has no questionnaire with this code."))
        }
        let (from, to) = (
            call.query("from").flatMap { LocalDate($0) }, call.query("to").flatMap { LocalDate($0) }
        )
        if let from, let to, to < from {
            faults.append(
                Fault(pointer: "/to", code: "before_from", detail: "`to` must not be before `from`."))
        }
        orderText = call.query("order") ?? "received"
        var order = SheetOrder.received
        do throws(Faults) {
            order = try Self.order(orderText, hasQuestionnaire: code != nil, versions)
        } catch {
            faults += error.list
        }
        guard faults.isEmpty else { throw Problem(.requestInvalid, Faults(faults)) }
        filter = SheetFilter(
            questionnaire: code, from: from, to: to,
            refersTo: call.query("refers_to").flatMap { SheetID($0) })
        self.order = order
        isActiveOnly = call.queryBool("active") ?? false
        isLatestOnly = call.queryBool("latest") ?? false
    }

    private static func order(
        _ text: String, hasQuestionnaire: Bool, _ versions: [PublishedQuestionnaire]
    ) throws(Faults) -> SheetOrder {
        func fault(_ code: String, _ detail: String) -> Faults {
            Faults([Fault(pointer: "/order", code: code, detail: detail)])
        }
        if text == "received" { return .received }
        if text == "completed" { return .completed }
        guard text.hasPrefix("item:") else {
            throw fault(
                "not_a_value",
                "The order must be `received`, `completed`, or `item:` and the `linkId` of a date item.")
        }
        guard hasQuestionnaire else {
            throw fault("needs_questionnaire", "The order by an item needs the parameter `questionnaire`.")
        }
        // An unknown questionnaire is reported already.
        guard !versions.isEmpty else { return .received }
        let linkId = String(text.dropFirst("item:".count))
        let items = versions.compactMap { $0.index.item(linkId) }
        guard !items.isEmpty else {
            throw fault("unknown_item", "The questionnaire has no item with this `linkId`.")
        }
        var positions: [String: Int] = [:]
        for version in versions {
            positions[version.questionnaire.version] = version.codec.numberIndex(of: linkId)
        }
        guard items.allSatisfy({ [.date, .instant].contains($0.expressionType) }), !positions.isEmpty else {
            throw fault(
                "not_a_date", "The item must be a date or a date with time that is answered once in a sheet.")
        }
        return .number(positions: positions)
    }

    /// The position after which the page begins; nil for the first page.
    /// - Throws: `request-invalid` for a text that is not a cursor of this order.
    func position(in call: Call<Identity>) throws(Problem) -> (key: Double, id: SheetID)? {
        guard let cursor = try call.cursor(parts: 3) else { return nil }
        guard cursor.parts[0] == orderText, let id = SheetID(cursor.parts[2]),
            let key = Double(cursor.parts[1]), !key.isNaN
        else { throw .invalidCursor }
        if case .number = order { return (key, id) }
        guard Int64(exactly: key) != nil else { throw .invalidCursor }
        return (key, id)
    }

    /// The cursor of the page after this sheet.
    func cursor(after sheet: StoredSheet) -> Cursor {
        Cursor([orderText, "\(order.key(of: sheet))", sheet.id.description])
    }
}
