import SaunterCore

/// The mail server and how to connect to it: a parsed `SAUNTER_SMTP_URL`.
///
/// The format is `smtp://user:password@host:port`, or `smtps://…` for TLS from the first byte. User and password are
/// percent-encoded. Options follow `?`: `starttls=required` or `starttls=never`, and `ca=/path` (trusted certificates
/// that replace the system's). A path is the name for EHLO.
///
/// Without the option `starttls`:
///
/// 1. With credentials, STARTTLS is required.
/// 2. Otherwise, for localhost it is not used.
/// 3. Otherwise it is used if the server offers it.
package struct MailServer: Sendable {
    /// How the connection is secured.
    package enum Security: Sendable, Equatable {
        case tls, startTLSRequired, startTLSOffered, none
    }

    /// A host name or an IP address.
    package let host: String
    /// By default 465 for `smtps` and 25 for `smtp`.
    package let port: Int
    /// How the connection is secured.
    package let security: Security
    /// The path of a file with trusted certificates.
    package let caFile: String?
    let ehloName: String?
    let credentials: Credentials?
    /// The time limit for connecting, TLS and greeting included.
    package var connectTimeout = Duration.seconds(15)
    /// The time limit for the complete mail, from the connection to the final reply.
    package var totalTimeout = Duration.seconds(120)

    struct Credentials: Sendable, Equatable {
        let user: String
        let password: Secret<String>
    }

    /// The server without credentials, for logs.
    package var summary: String { "\(host):\(port)" }

    /// Parses the URL. The error is one line and contains no part of the URL that may be secret.
    package init(url: String) throws(MailFault) {
        let parts = try MailServerURL(url)
        host = parts.host
        port = parts.port ?? (parts.isSecure ? 465 : 25)
        credentials = try parts.credentials()
        ehloName = parts.path.isEmpty ? nil : parts.path
        var startTLS: String?
        var caFile: String?
        for (name, value) in parts.options {
            switch name {
            case "starttls" where startTLS == nil: startTLS = value
            case "ca" where caFile == nil && value.hasPrefix("/"): caFile = value
            default:
                throw .badServer(
                    reason:
                        "after the ? there may be starttls=required or starttls=never, and ca=/path, each once"
                )
            }
        }
        self.caFile = caFile
        security = try Self.security(parts, startTLS, hasCredentials: credentials != nil)
    }

    private static func security(
        _ parts: MailServerURL, _ startTLS: String?, hasCredentials: Bool
    ) throws(MailFault) -> Security {
        switch (parts.isSecure, startTLS) {
        case (true, nil): return .tls
        case (true, _): throw .badServer(reason: "smtps:// has no STARTTLS: leave starttls out")
        case (false, "required"): return .startTLSRequired
        case (false, "never"): return .none
        case (false, nil):
            if hasCredentials { return .startTLSRequired }
            let isLoopback =
                parts.host == "localhost" || parts.host == "[::1]" || parts.host.hasPrefix("127.")
            return isLoopback ? .none : .startTLSOffered
        case (false, _): throw .badServer(reason: "the value of starttls must be required or never")
        }
    }
}
