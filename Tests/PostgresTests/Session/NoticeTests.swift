import Testing

@testable import Postgres

@Suite("Notice") struct NoticeTests {
    @Test(arguments: [
        // PostgreSQL names the source function, and the message can be in any language.
        Notice(state: .warning, sourceFunction: "SyncRepWaitForLSN", message: "storniere Warten auf …"),
        Notice(state: .adminShutdown, sourceFunction: "SyncRepWaitForLSN", message: ""),
        // A server that is built without source positions does not name the source function.
        Notice(
            state: .warning, sourceFunction: nil,
            message: "canceling wait for synchronous replication due to user request"),
        Notice(
            state: .adminShutdown, sourceFunction: nil,
            message: "canceling the wait for synchronous replication and terminating connection due to …"),
    ])
    func `a notice about a cancelled wait for the standby reports an unconfirmed commit`(notice: Notice) {
        #expect(notice.reportsUnconfirmedCommit)
    }

    @Test(arguments: [
        Notice(state: .warning, sourceFunction: "exec_stmt_raise", message: "canceling"),
        Notice(
            state: SQLState("00000"), sourceFunction: nil,
            message: "canceling wait for synchronous replication"),
    ])
    func `other notices do not report an unconfirmed commit`(notice: Notice) {
        #expect(!notice.reportsUnconfirmedCommit)
    }
}
