import HTTPTypes

/// A cookie that keeps a choice of the visitor on this device. Scripts cannot read it.
struct ChoiceCookie {
    /// One year, in seconds.
    private static let lifetimeSeconds = 365 * 86_400

    let name: String

    /// The choice in the cookies of a request; nil without one.
    func value(in headers: HTTPFields) -> String? {
        headers[values: .cookie].flatMap { $0.split(separator: ";") }.lazy.map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// The header `Set-Cookie` that keeps a choice.
    func setting(_ value: String, publicURL: String) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(Self.lifetimeSeconds); HttpOnly; SameSite=Lax"
            + (publicURL.hasPrefix("https://") ? "; Secure" : "")
    }
}
