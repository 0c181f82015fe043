import HTTPTypes
import SaunterCore

/// The session cookie of the web app. Scripts cannot read it.
package struct SessionCookie: Sendable {
    private let isSecure: Bool

    /// - Parameter publicURL: the server's public URL. Without https, which is possible on a developer's machine only,
    ///   the cookie has no prefix and is not `Secure`.
    package init(publicURL: String) {
        isSecure = publicURL.hasPrefix("https://")
    }

    private var name: String { isSecure ? "__Host-saunter" : "saunter" }

    /// The value of the cookie in a request; nil if it is absent or occurs twice.
    package func value(in headers: HTTPFields) -> String? {
        let values = headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let halves = pair.split(separator: "=", maxSplits: 1)
            return halves.count == 2 && halves[0].drop(while: { $0 == " " }) == name[...]
                ? String(halves[1]) : nil
        }
        return values.count == 1 ? values[0] : nil
    }

    /// The header `Set-Cookie` that starts a session, or keeps it longer. The cookie lives as long as a login.
    package func setting(_ value: String, kind: AccountKind = .registered) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(kind.loginSeconds); HttpOnly; SameSite=Lax" + suffix
    }

    /// The header `Set-Cookie` that ends a session.
    package var removing: String { "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax" + suffix }

    /// Whether this header `Set-Cookie` starts or ends a session.
    package func isSession(_ header: String) -> Bool { header.hasPrefix(name + "=") }

    private var suffix: String { isSecure ? "; Secure" : "" }
}
