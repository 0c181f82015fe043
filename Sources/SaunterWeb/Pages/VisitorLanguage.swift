import HTTPTypes

/// The language that a visitor without a study chose on this device, with a link such as `?lang=de`. Participants read
/// the language of their enrolment.
enum VisitorLanguage {
    private static let cookieName = "lang"
    /// One year, in seconds.
    private static let lifetimeSeconds = 365 * 86_400

    /// The choice in the cookies of a request; nil without one.
    static func chosen(in headers: HTTPFields) -> String? {
        headers[values: .cookie].flatMap { $0.split(separator: ";") }.lazy.map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("\(cookieName)=") }.map { String($0.dropFirst(cookieName.count + 1)) }
    }

    /// The header `Set-Cookie` that keeps the choice.
    static func cookie(_ language: String, publicURL: String) -> String {
        "\(cookieName)=\(language); Path=/; Max-Age=\(lifetimeSeconds); HttpOnly; SameSite=Lax"
            + (publicURL.hasPrefix("https://") ? "; Secure" : "")
    }

    /// The address of a page in a language.
    /// - Parameter target: the path of the page with its query.
    static func address(of target: String, in language: String) -> String {
        let halves = target.split(separator: "?", maxSplits: 1)
        let query =
            (halves.count == 2 ? halves[1].split(separator: "&") : [])
            .filter { !$0.hasPrefix("lang=") } + ["lang=\(language)"]
        return "\(halves.first ?? "/")?\(query.joined(separator: "&"))"
    }
}
