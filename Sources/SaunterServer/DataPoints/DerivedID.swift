import Foundation
import SaunterCore

/// Ids that are derived from the content that they identify.
enum DerivedID {
    /// A version 8 UUID, made of the first 16 bytes of the SHA-256 of a value.
    static func make<Tag>(of value: JSON) -> ID<Tag> {
        var bytes = value.sha256
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return ID(
            UUID(
                uuid: (
                    bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
                    bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
                )))
    }
}
