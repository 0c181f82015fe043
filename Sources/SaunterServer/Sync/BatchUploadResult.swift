import SaunterCore

/// The result of one item of a batch upload.
struct BatchUploadResult: Sendable {
    /// The result in the response.
    var json: JSON
    var isStored = false
    /// Whether another upload of the same item gets the same result, so the device does not retry it.
    var isTerminal = true
    /// Whether the item names a calibration, an occasion or a sheet that is not stored, or was not stored yet.
    var lacksReference = false

    /// The result with the number of the item's line in an NDJSON body.
    func json(line: Int) -> JSON {
        var object: JSONObject = ["line": .int(line)]
        for member in json.object ?? [:] { object[member.name] = member.value }
        return .object(object)
    }
}
