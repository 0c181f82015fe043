import SaunterCore

/// A body of type `application/x-www-form-urlencoded`. A name may occur only once.
package struct FormBody: Sendable {
    private static let maximumFields = 10_000

    /// All fields except `token`: a JSON object of strings in the order of the body.
    let json: JSON
    /// The field `token`, which replaces the `Authorization` header.
    let token: String?
    /// The size of the body.
    let byteCount: Int

    /// - Throws: `body-unreadable`.
    init(_ body: [UInt8]) throws(Problem) {
        guard let text = String(validating: body, as: UTF8.self) else {
            throw Problem(.bodyUnreadable, "The form is not UTF-8.")
        }
        let pairs = text.split(separator: "&")
        guard pairs.count <= Self.maximumFields else {
            throw Problem(.bodyUnreadable, "The form has more than \(Self.maximumFields) fields.")
        }
        var members: [JSONObject.Member] = []
        var seen: Set<String> = []
        var token: String?
        for pair in pairs {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0], plusIsBlank: true),
                let value = PercentEncoding.decode(halves.count == 2 ? halves[1] : "", plusIsBlank: true),
                !name.utf8.contains(0), !value.utf8.contains(0)
            else {
                throw Problem(.bodyUnreadable, "The form is not percent-encoded UTF-8, or contains U+0000.")
            }
            guard seen.insert(name).inserted else {
                throw Problem(.bodyUnreadable, "A field of the form occurs twice.")
            }
            if name == "token" {
                token = value
            } else {
                members.append(JSONObject.Member(name: name, value: .string(value)))
            }
        }
        json = .object(JSONObject(members))
        self.token = token
        byteCount = body.count
    }

    /// The value of a field.
    package subscript(name: String) -> String? { json[name]?.string }
}
