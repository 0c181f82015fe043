import Crypto
import Foundation
import SaunterCore

/// The key of one de-identified release: it follows from a secret and from what the release is, so that the same release
/// is the same everywhere, and no two releases can be joined by their pseudonyms.
struct ReleaseKey: Hashable {
    private static let blockSize = 64
    private let key: [UInt8]

    /// - Parameter secret: the study's, which the database does not hold.
    init(secret: [UInt8], study: String, profile: DatasetProfile, asOf: Instant, filters: DatasetFilters) {
        let release: JSON = [
            "study": .string(study), "profile": .string(profile.rawValue),
            "version": .string(profile.version), "as_of": .string(asOf.description), "filters": filters.json,
        ]
        key = Array(
            HMAC<SHA256>.authenticationCode(for: Data(release.text.utf8), using: SymmetricKey(data: secret)))
    }

    /// The settings under which statements make keyed digests: the two padded keys of HMAC (RFC 2104).
    var settings: [(name: String, value: String)] {
        [("release_inner", padded(by: 0x36)), ("release_outer", padded(by: 0x5C))]
    }

    private func padded(by byte: UInt8) -> String {
        let block = key + [UInt8](repeating: 0, count: Self.blockSize - key.count)
        return "\\x" + block.map { ($0 ^ byte < 16 ? "0" : "") + String($0 ^ byte, radix: 16) }.joined()
    }
}
