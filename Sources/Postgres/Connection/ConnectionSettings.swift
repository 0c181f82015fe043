import Logging

/// How connections are opened, and the settings that apply to all their statements.
struct ConnectionSettings: Sendable {
    let connectionString: ConnectionString
    let role: String?
    let applicationName: String
    let statementTimeout: Duration?
    let connectTimeout: Duration
    let logger: Logger
    let metrics: DatabaseMetrics
    /// Whether the connection is inside a transaction that is never committed; see `ConnectionMachine`.
    var hasOuterTransaction = false

    /// The settings for libpq. A setting in the connection string overrides the default here, except `client_encoding`.
    func libpqSettings() throws(DatabaseError) -> [ConnectionString.Setting] {
        // If there are several hosts, one is the primary. The others reject writes.
        let primaryOnly =
            try connectionString.hasSeveralHosts
            ? connectionString.setting("target_session_attrs", default: "read-write") : connectionString
        return
            try primaryOnly
            .setting("connect_timeout", default: "\(Self.wholeSeconds(connectTimeout))")
            .setting("application_name", default: applicationName)
            // These settings detect a server that disappears without closing the connection, within about 12 s, even if
            // nothing is sent. A standby takes over later than that, so no request still waits for the old primary.
            .setting("tcp_user_timeout", default: "12000")
            .setting("keepalives_idle", default: "6")
            .setting("keepalives_interval", default: "3")
            .setting("keepalives_count", default: "2")
            .setting("client_encoding", to: "UTF8")
            .settings
    }

    /// Runs once per session. It uses `set_config`, because `SET` takes no parameters.
    static let setUpStatement = Statement(
        name: "set_up_session",
        sql: """
            select set_config('statement_timeout', coalesce($1, current_setting('statement_timeout')), false),
                set_config('role', coalesce($2, current_setting('role')), false)
            """)

    var setUpParameters: Arguments {
        [.text(statementTimeout.map { "\(Int(max(1, $0 / .milliseconds(1))))" }), .text(role)]
    }

    /// Rounds up, because libpq accepts only whole seconds. libpq treats fewer than two seconds as two.
    private static func wholeSeconds(_ duration: Duration) -> Int {
        Int(max(2, min((duration / .seconds(1)).rounded(.up), 86_400)))
    }
}
