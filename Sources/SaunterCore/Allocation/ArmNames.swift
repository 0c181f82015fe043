import Crypto
import Foundation

/// The names of a study's arms: their codes, or letters for readers who are blinded.
package struct ArmNames: Sendable, Hashable {
    /// The names in their order: that of the given codes, or that of the letters.
    package let names: [String]
    /// Code -> name.
    package let namesByCode: [String: String]

    /// Uses the codes, in their order.
    package init(_ codes: [String]) {
        names = codes
        namesByCode = Dictionary(codes.map { ($0, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Uses the letters A, B, … in the order of HMAC-SHA256(secret, study and code). The letters therefore do not
    /// follow from the alphabet or from the order in the study, and are the same in each report, dataset and response
    /// of the study until it gets another arm.
    /// - Parameters:
    ///   - codes: the arms of all versions of the study.
    ///   - secret: the secret of the study for releases.
    package init(blinding codes: [String], of study: String, secret: [UInt8]) {
        let key = SymmetricKey(data: secret)
        let ordered = codes.map { code -> (digest: String, code: String) in
            let arm: JSON = ["blinded_arm": .string(code), "study": .string(study)]
            let digest = HMAC<SHA256>.authenticationCode(for: Data(arm.text.utf8), using: key)
            return (Hex.encode(Array(digest)), code)
        }.sorted { $0 < $1 }.map(\.code)
        names = ordered.indices.map(Self.letters)
        namesByCode = Dictionary(zip(ordered, names), uniquingKeysWith: { first, _ in first })
    }

    /// The name of an arm. Nil for an arm that is not one of the codes.
    package subscript(code: String) -> String? { namesByCode[code] }

    /// A to Z, then AA, AB, ….
    private static func letters(_ index: Int) -> String {
        let last = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index % 26)))
        return index < 26 ? last : letters(index / 26 - 1) + last
    }
}
