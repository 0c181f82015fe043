import SaunterCore
import SaunterStore

/// How much of what a device numbered has arrived, on the wire.
enum DeviceWire {
    static let members: [Schema.Member] = [
        .required("device_id", .id),
        .required("newest", .integer(min: 0), "The highest sequence that arrived."),
        .required("missing_count", .integer(min: 0), "Sequences below it that did not."),
        .required(
            "missing",
            .array(of: .object([.required("from", .integer(min: 1)), .required("to", .integer(min: 1))])),
            "Where they are; at most the first hundred holes."),
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
