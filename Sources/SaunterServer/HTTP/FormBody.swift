import SaunterCore

/// A body of type `application/x-www-form-urlencoded`, read strictly: each name once.
struct FormBody: Sendable {
    private static let maximumFields = 10_000

    /// Every field but `token`: an object of strings in the order of the text.
    let json: JSON
    /// The field `token`, which stands for the `Authorization` header.
    let token: String?
    /// Of the body as it came.
    let bytes: Int

    /// Throws `body-unreadable`.
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
            else { throw Problem(.bodyUnreadable, "The form is not percent-encoded UTF-8 without U+0000.") }
            guard seen.insert(name).inserted else {
                throw Problem(.bodyUnreadable, "A field of the form is given twice.")
            }
            if name == "token" {
                token = value
            } else {
                members.append(JSONObject.Member(name: name, value: .string(value)))
            }
        }
        json = .object(JSONObject(members))
        self.token = token
        bytes = body.count
    }

    /// The value of a field.
    subscript(name: String) -> String? { json[name]?.string }
}

extension Gateway {
    /// The form of a route that takes one.
    func readForm(
        _ incoming: IncomingRequest, _ route: Route, _ state: BodyState, _ asker: ThrottleKey
    ) async throws -> FormBody {
        guard let bytes = try await read(incoming, route, state, asker) else {
            throw Problem(.bodyUnreadable)
        }
        return try FormBody(bytes)
    }
}
