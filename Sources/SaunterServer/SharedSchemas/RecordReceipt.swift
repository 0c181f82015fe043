import SaunterCore

/// The answer to a record that is stored.
struct RecordReceipt: Sendable {
    /// What the server did with the record. The raw values are those of batch uploads.
    enum Result: String, Sendable {
        case accepted, replayed
        /// A sheet that does not count, because another one had already fulfilled the occasion.
        case duplicate
        /// A sheet that was completed outside of the window of its occasion.
        case outOfWindow = "out_of_window"
    }

    var json: JSON
    var result: Result

    init(_ json: JSON, _ result: Result) {
        self.json = json
        self.result = result
    }

    init(_ json: JSON, isNew: Bool) {
        self.init(json, isNew ? .accepted : .replayed)
    }

    /// Whether the record was stored by this request.
    var isNew: Bool { result != .replayed }
}
