import Crypto
import Foundation
import SaunterCore

/// The key of one de-identified release. It is derived from the secret of the study and from the parameters of the
/// release. The same release always gets the same key, and pseudonyms of different releases cannot be joined.
struct ReleaseKey: Hashable {
    private static let blockSize = 64
    private let key: Secret<[UInt8]>

    /// - Parameter secret: the secret of the study, which is not stored in the database.
    init(secret: [UInt8], study: String, profile: DatasetProfile, asOf: Instant, filters: DatasetFilters) {
        let release: JSON = [
            "study": .string(study), "profile": .string(profile.rawValue),
            "version": .string(profile.version), "as_of": .string(asOf.description), "filters": filters.json,
        ]
        key = Secret(
            Array(
                HMAC<SHA256>.authenticationCode(
                    for: Data(release.text.utf8), using: SymmetricKey(data: secret))))
    }

    /// The settings with which SQL statements compute keyed digests: the two padded keys of HMAC (RFC 2104).
    var settings: [(name: String, value: String)] {
        [("release_inner", padded(by: 0x36)), ("release_outer", padded(by: 0x5C))]
    }

    private func padded(by byte: UInt8) -> String {
        let block = key.revealed + [UInt8](repeating: 0, count: Self.blockSize - key.revealed.count)
        return "\\x" + Hex.encode(block.map { $0 ^ byte })
    }
}
