import Crypto
import Foundation
import SaunterCore

/// The names of the arms in a report: their codes, or letters if the report is blinded.
struct ArmNames: Sendable {
    /// The names in the order of the report.
    let names: [String]
    private let namesByCode: [String: String]

    /// Uses the codes, in their order.
    init(_ codes: [String]) {
        names = codes
        namesByCode = Dictionary(codes.map { ($0, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Uses the letters A, B, … in the order of HMAC-SHA256(secret, study and code). The letters therefore do not
    /// follow from the alphabet or from the order in the study, and are the same in each report of the study until it
    /// gets another arm.
    init(blinding codes: [String], of study: String, secret: [UInt8]) {
        let key = SymmetricKey(data: secret)
        let ordered = codes.map { code -> (digest: String, code: String) in
            let arm: JSON = ["blinded_arm": .string(code), "study": .string(study)]
            let digest = HMAC<SHA256>.authenticationCode(for: Data(arm.text.utf8), using: key)
            return (Hex.encode(Array(digest)), code)
        }.sorted { $0 < $1 }.map(\.code)
        names = ordered.indices.map(Self.letters)
        namesByCode = Dictionary(zip(ordered, names), uniquingKeysWith: { first, _ in first })
    }

    /// The name of an arm. Nil if the report does not have the arm.
    subscript(code: String) -> String? { namesByCode[code] }

    /// A to Z, then AA, AB, ….
    private static func letters(_ index: Int) -> String {
        let last = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index % 26)))
        return index < 26 ? last : letters(index / 26 - 1) + last
    }
}
