import HTTPTypes

/// The colour scheme that a visitor chose on this device. It is in a cookie, so that every page is drawn in it at once.
enum Appearance: String, CaseIterable {
    case system, light, dark

    private static let cookieName = "appearance"
    /// One year, in seconds.
    private static let lifetimeSeconds = 365 * 86_400

    /// The choice in the cookies of a request; `system` without one.
    init(of headers: HTTPFields) {
        let value = headers[values: .cookie].flatMap { $0.split(separator: ";") }.lazy
            .map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("\(Self.cookieName)=") }?.dropFirst(Self.cookieName.count + 1)
        self = value.flatMap { Appearance(rawValue: String($0)) } ?? .system
    }

    /// The header `Set-Cookie` that keeps the choice.
    func cookie(publicURL: String) -> String {
        "\(Self.cookieName)=\(rawValue); Path=/; Max-Age=\(Self.lifetimeSeconds); HttpOnly; SameSite=Lax"
            + (publicURL.hasPrefix("https://") ? "; Secure" : "")
    }
}
