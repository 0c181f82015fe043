import HTTPTypes

/// The colour scheme that a visitor chose on this device. It is in a cookie, so that every page is drawn in it at once.
enum Appearance: String, CaseIterable {
    case system, light, dark

    private static let choice = ChoiceCookie(name: "appearance")

    /// The choice in the cookies of a request; `system` without one.
    init(of headers: HTTPFields) {
        self = Self.choice.value(in: headers).flatMap { Appearance(rawValue: $0) } ?? .system
    }

    /// The header `Set-Cookie` that keeps the choice.
    func cookie(publicURL: String) -> String {
        Self.choice.setting(rawValue, publicURL: publicURL)
    }
}
