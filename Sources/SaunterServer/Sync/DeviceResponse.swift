import SaunterCore
import SaunterStore

/// The state of a device in responses: which of its sequence numbers have arrived.
enum DeviceResponse {
    static let members: [Schema.Member] = [
        .required("device_id", .id, "The id that the app generates when it is installed."),
        .required("newest", .integer(min: 0), "The highest sequence number that has arrived."),
        .required(
            "missing_count", .integer(min: 0), "How many lower sequence numbers have not arrived."),
        .required(
            "missing",
            .array(
                of: .object([
                    .required("from", .integer(min: 1), "The first missing number."),
                    .required("to", .integer(min: 1), "The last missing number."),
                ])),
            "Ranges of the missing sequence numbers; at most the first 100 ranges."),
    ]

    static let schema = Schema.named("DeviceState", .object(members))

    static func members(_ device: StoredDevice) -> JSONObject {
        [
            "device_id": .id(device.id), "newest": .int(Int(device.newest)),
            "missing_count": .int(Int(device.missingCount)),
            "missing": .array(
                device.missing.map { ["from": .int(Int($0.lowerBound)), "to": .int(Int($0.upperBound))] }),
        ]
    }
}
