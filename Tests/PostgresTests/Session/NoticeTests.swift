import Testing

@testable import Postgres

@Suite("Notice") struct NoticeTests {
    @Test(arguments: [
        // PostgreSQL's own, in any language.
        Notice(state: .warning, sourceFunction: "SyncRepWaitForLSN", message: "storniere Warten auf …"),
        Notice(state: .adminShutdown, sourceFunction: "SyncRepWaitForLSN", message: ""),
        // From a server that does not tell its source positions.
        Notice(
            state: .warning, sourceFunction: nil,
            message: "canceling wait for synchronous replication due to user request"),
        Notice(
            state: .adminShutdown, sourceFunction: nil,
            message: "canceling the wait for synchronous replication and terminating connection due to …"),
    ])
    func `a wait for the standby that was broken off is recognised`(notice: Notice) {
        #expect(notice.saysCommitIsUnconfirmed)
    }

    @Test(arguments: [
        Notice(state: .warning, sourceFunction: "exec_stmt_raise", message: "canceling"),
        Notice(
            state: SQLState("00000"), sourceFunction: nil,
            message: "canceling wait for synchronous replication"),
    ])
    func `other notices mean nothing`(notice: Notice) {
        #expect(!notice.saysCommitIsUnconfirmed)
    }
}
