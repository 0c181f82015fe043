import SaunterCore

/// One item of a batch upload, decoded without the database.
struct BatchUploadItem: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        // In processing order: an item can refer to items of earlier kinds.
        case calibration, walk, observation
        case usageEvent = "usage_event"
        case studyEvent = "study_event"
        case sheet = "answer_sheet"
        case snooze
        case messageReceipt = "message_receipt"
        case correction, deletion

        /// What validates and stores the items. Nil for edits, which wait for their records.
        var service: (any RecordService.Type)? {
            switch self {
            case .calibration: CalibrationService.self
            case .walk: WalkService.self
            case .observation: ObservationService.self
            case .usageEvent: UsageEventService.self
            case .studyEvent: StudyEventService.self
            case .sheet: AnswerSheetService.self
            case .snooze: SnoozeService.self
            case .messageReceipt: MessageReceiptService.self
            case .correction, .deletion: nil
            }
        }

        /// The schema of the body.
        var bodySchema: Schema {
            switch self {
            case .correction: EditBody.correctionSchema
            case .deletion: EditBody.deletionSchema
            default: service?.bodySchema ?? .any
            }
        }

        /// How many items are processed at the same time.
        var maximumConcurrentItems: Int {
            switch self {
            // The last event or snooze of several counts.
            case .studyEvent, .snooze: 1
            // Each walk is summarised from thousands of samples.
            case .walk: 4
            default: 100
            }
        }
    }

    /// The index among the items that are processed together.
    private(set) var index: Int
    /// The value of `kind` as sent; empty if missing.
    let kindText: String
    let id: String
    /// The body as in a single submission, without `client_now`.
    let body: JSONObject
    /// The device's clock when it sent the item, if the upload does not state it for all items.
    let clientNow: JSON?
    /// The number that the device gave the item, counted over all its submissions; nil if the device does not count.
    let sequence: Int64?
    /// The faults of the item. Their pointers are relative to the item.
    let faults: [Fault]

    /// An item from the list of a JSON body.
    /// - Parameter readerFaults: faults that the JSON reader found in the item. Their pointers are relative to the
    ///   body.
    init(index: Int, json: JSON, readerFaults: [Fault]) {
        self.init(index: index, line: json, readerFaults: readerFaults.map(Self.inItem))
    }

    /// An item from one line of an NDJSON body.
    /// - Parameter readerFaults: faults that the JSON reader found in the item. Their pointers are relative to the
    ///   item.
    init(index: Int, line json: JSON, readerFaults: [Fault]) {
        self.index = index
        kindText = json["kind"]?.string ?? ""
        id = json["id"]?.string ?? ""
        body = json["body"]?.object ?? [:]
        clientNow = json["client_now"]
        sequence = json["sequence"]?.int.flatMap { (1...Self.maximumSequence).contains($0) ? Int64($0) : nil }
        faults = readerFaults + Self.schema.faults(in: json)
    }

    /// The same item with another index.
    func moved(to index: Int) -> BatchUploadItem {
        var item = self
        item.index = index
        return item
    }

    var kind: Kind? { Kind(rawValue: kindText) }

    /// The occasion that a sheet names.
    var occasion: String? { body["occasion_id"]?.string }

    /// 2^53 − 1, the largest integer that every JSON parser represents exactly.
    private static let maximumSequence = (1 << 53) - 1

    static let schema = Schema.named(
        "OutboxItem",
        .object([
            .required("kind", .string(values: Kind.allCases.map(\.rawValue)), "What the item is."),
            .required("id", .id, "The id that the client created for the record, or for the edit itself."),
            .required(
                "body",
                .anyOf([.map(of: .any)] + Kind.allCases.map(\.bodySchema)),
                "As in a single request of this kind. If it is invalid, only this item is rejected."),
            .optional(
                "client_now", .instant,
                "The device's clock when it sends the item, if the upload does not state it."),
            .optional(
                "sequence", .integer(min: 1, max: maximumSequence),
                "The number that the device gave the item, counted over all its submissions."),
        ]))

    /// The fault with a pointer that is relative to the item: `/items/7/body/x` becomes `/body/x`.
    private static func inItem(_ fault: Fault) -> Fault {
        let rest = fault.pointer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            .dropFirst(3)
        return Fault(
            pointer: rest.first.map { "/\($0)" } ?? "", code: fault.code, detail: fault.detail)
    }
}

extension BatchUploadItem {
    /// Which sheets of a questionnaire must be submitted one after the other.
    enum Ordering: Sendable {
        /// None, unless they name the same occasion.
        case independent
        /// Those that name no occasion, because the server searches for one.
        case withoutOccasion
        /// All, because the server counts them.
        case all
    }

    /// Divides sheets into groups that can be submitted concurrently. No two sheets of a group have the same id, can
    /// answer the same occasion, refer to the same sheet, or count towards the same maximum. A sheet is
    /// in a later group than the sheet to which it refers. Of two sheets that conflict, the first one in the
    /// order of `referredFirst` is in an earlier group.
    /// - Parameter ordering: which sheets of a questionnaire must be submitted one after the other.
    static func concurrentGroups(
        _ sheets: [BatchUploadItem], ordering: (_ questionnaire: String) -> Ordering
    ) -> [[BatchUploadItem]] {
        var next: [String: Int] = [:]
        var groups: [[BatchUploadItem]] = []
        for sheet in referredFirst(sheets) {
            var keys = ["id \(sheet.id.lowercased())"]
            if let occasion = sheet.occasion { keys.append("occasion \(occasion.lowercased())") }
            if let questionnaire = sheet.body["questionnaire"]?.string {
                switch ordering(questionnaire) {
                case .independent: break
                case .withoutOccasion:
                    if sheet.occasion == nil { keys.append("questionnaire \(questionnaire)") }
                case .all: keys.append("questionnaire \(questionnaire)")
                }
            }
            var group = keys.compactMap { next[$0] }.max() ?? 0
            if let referred = sheet.refersTo {
                keys.append("about \(referred)")
                group = max(group, next["id \(referred)"] ?? 0, next["about \(referred)"] ?? 0)
            }
            for key in keys { next[key] = group + 1 }
            if group == groups.count { groups.append([]) }
            groups[group].append(sheet)
        }
        return groups
    }

    /// The id of the sheet to which a sheet refers, in lower case.
    private var refersTo: String? { body["refers_to"]?.string?.lowercased() }

    /// The sheets in the order of the upload, but each one after the sheet to which it refers, if both are uploaded.
    private static func referredFirst(_ sheets: [BatchUploadItem]) -> [BatchUploadItem] {
        let references = Dictionary(
            sheets.map { ($0.id.lowercased(), $0.refersTo) }, uniquingKeysWith: { first, _ in first })
        /// 1 plus the number of uploaded sheets to which the sheet refers, directly or through other sheets.
        /// A cycle ends the search.
        func depth(_ sheet: BatchUploadItem) -> Int {
            var seen: Set<String> = [sheet.id.lowercased()]
            var current = sheet.refersTo
            while let id = current, let reference = references[id], seen.insert(id).inserted {
                current = reference
            }
            return seen.count
        }
        guard references.values.contains(where: { $0 != nil }) else { return sheets }
        return sheets.enumerated().map { (depth: depth($1), index: $0, sheet: $1) }
            .sorted { ($0.depth, $0.index) < ($1.depth, $1.index) }.map(\.sheet)
    }
}
