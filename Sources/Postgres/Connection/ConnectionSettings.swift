import Logging

/// How connections are made and what holds for all their statements.
struct ConnectionSettings: Sendable {
    let string: ConnectionString
    let role: String?
    let applicationName: String
    let statementTimeout: Duration?
    let connectTimeout: Duration
    let logger: Logger
    let metrics: DatabaseMetrics
    /// See `ConnectionMachine.isEnclosed`.
    var isEnclosed = false

    /// What libpq is told. The user's own words win where they say something.
    func wireSettings() throws(DatabaseError) -> [ConnectionString.Setting] {
        // Of several hosts one leads, and nobody may write to the others.
        let leading =
            try string.namesSeveralHosts
            ? string.setting("target_session_attrs", unlessSetTo: "read-write") : string
        return
            try leading
            .setting("connect_timeout", unlessSetTo: "\(Self.wholeSeconds(connectTimeout))")
            .setting("application_name", unlessSetTo: applicationName)
            // A peer that has vanished without a word is noticed within a dozen seconds, even while nothing is
            // sent: before a standby has taken its place, so that nobody waits for the old one any longer.
            .setting("tcp_user_timeout", unlessSetTo: "12000")
            .setting("keepalives_idle", unlessSetTo: "6")
            .setting("keepalives_interval", unlessSetTo: "3")
            .setting("keepalives_count", unlessSetTo: "2")
            .setting("client_encoding", to: "UTF8")
            .settings
    }

    /// Set once per session. `set_config` and not `SET`, as it takes parameters.
    static let setUp = Statement(
        name: "set_up_session",
        sql: """
            select set_config('statement_timeout', coalesce($1, current_setting('statement_timeout')), false),
                set_config('role', coalesce($2, current_setting('role')), false)
            """)

    var setUpParameters: [Parameter] {
        [.text(statementTimeout.map { "\(Int(max(1, $0 / .milliseconds(1))))" }), .text(role)]
    }

    /// libpq counts whole seconds and takes fewer than two for two.
    private static func wholeSeconds(_ duration: Duration) -> Int {
        Int(max(2, min((duration / .seconds(1)).rounded(.up), 86_400)))
    }
}
