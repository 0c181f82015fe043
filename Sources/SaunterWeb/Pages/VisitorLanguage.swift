import HTTPTypes

/// The language that a visitor without a study chose on this device, with a link such as `?lang=de`. Participants read
/// the language of their enrolment.
enum VisitorLanguage {
    private static let choice = ChoiceCookie(name: "lang")

    /// The choice in the cookies of a request; nil without one.
    static func chosen(in headers: HTTPFields) -> String? { choice.value(in: headers) }

    /// The header `Set-Cookie` that keeps the choice.
    static func cookie(_ language: String, publicURL: String) -> String {
        choice.setting(language, publicURL: publicURL)
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
