import SaunterCore

/// What became of one item of an outbox.
struct OutboxResult: Sendable {
    /// As the device reads it.
    var json: JSON
    var isStored = false
    /// The device need not send the item again.
    var isTerminal = true
    /// It names a calibration or an occasion that is not there, or was not yet.
    var lacksReference = false

    /// With the number of the line that the item stood in.
    func json(line: Int) -> JSON {
        var object: JSONObject = ["line": .int(line)]
        for member in json.object ?? [:] { object[member.name] = member.value }
        return .object(object)
    }
}
