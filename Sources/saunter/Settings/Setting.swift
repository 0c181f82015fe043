/// A setting of the operator. The raw value is its name in a configuration file; the environment variable is
/// `SAUNTER_` and the name in capital letters.
enum Setting: String, CaseIterable, Sendable {
    case databaseURL = "database_url"
    case databaseConnections = "database_connections"
    case dataDirectory = "data_dir"
    case host
    case port
    case publicURL = "public_url"
    case trustedProxies = "trusted_proxies"
    case smtpURL = "smtp_url"
    case mailFrom = "mail_from"
    case outboundAllow = "outward_allow"
    case outboundCA = "outward_ca"
    case appStoreFile = "app_store_file"
    case metricsToken = "metrics_token"
    case masterKeyFile = "master_key_file"
    case postgresBin = "postgres_bin"
    case logLevel = "log_level"
    case logFormat = "log_format"

    /// The environment variable.
    var variable: String { "SAUNTER_\(rawValue.uppercased())" }

    /// Whether the value is a secret. A secret is never shown, and can be read from a file:
    /// `SAUNTER_DATABASE_URL_FILE`.
    var isSecret: Bool {
        switch self {
        case .databaseURL, .smtpURL, .metricsToken: true
        default: false
        }
    }

    /// The default; nil if the setting has none.
    var defaultText: String? {
        switch self {
        case .databaseConnections: "8"
        case .dataDirectory: "./.saunter"
        case .host: "127.0.0.1"
        case .port: "8080"
        case .mailFrom: "saunter@localhost"
        case .logLevel: "info"
        case .logFormat: "auto"
        default: nil
        }
    }

    /// The description for `--help`, in one line.
    var meaning: String {
        switch self {
        case .databaseURL:
            "a libpq URI or key=value string, several hosts allowed; unset: a private PostgreSQL under data_dir"
        case .databaseConnections: "connections for participants' requests, 2 to 500"
        case .dataDirectory: "the folder of the private PostgreSQL, keys and exports"
        case .host: "address to listen on"
        case .port: "port to listen on"
        case .publicURL: "where participants reach the server; unset: http://host:port"
        case .trustedProxies:
            "comma-separated addresses or networks of the proxies whose X-Forwarded-For is trusted"
        case .smtpURL: "smtp://user:password@host:port or smtps://…; unset: no mail is sent"
        case .mailFrom: "sender of mails"
        case .outboundAllow:
            "comma-separated hosts and networks that push and webhooks may call in addition to public addresses"
        case .outboundCA:
            "a file of CA certificates for push services and webhooks; unset: the system's certificates"
        case .appStoreFile:
            "a YAML or JSON file with the apps of which purchases in the app store are accepted; unset: none"
        case .metricsToken: "bearer token for /metrics; unset: loopback addresses only"
        case .masterKeyFile:
            "a file of 32 bytes or 64 hexadecimal digits; unset: data_dir/keys/master.key, created on first start"
        case .postgresBin: "the folder of PostgreSQL's programs; unset: the newest version that is found"
        case .logLevel: "trace, debug, info, notice, warning, error or critical"
        case .logFormat: "json, text or auto (text on a terminal)"
        }
    }

    /// Describes all settings, for `saunter --help`.
    static var help: String {
        let lines = allCases.map { setting in
            let defaultText = setting.defaultText.map { " (\($0))" } ?? ""
            return
                "  \(setting.variable)\(defaultText): \(setting.meaning)\(setting.isSecret ? "; also …_FILE" : "")"
        }
        return """
            Settings come from the command line, then the environment, then a YAML file (--config or \
            SAUNTER_CONFIG_FILE, names in lower-case letters without SAUNTER_):

            \(lines.joined(separator: "\n"))
            """
    }
}
