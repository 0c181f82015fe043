import CLibPQ

extension Session {
    /// Reads what came while nothing was asked. Finds out, too, when the server has ended the session.
    func hear() {
        guard isUsable else { return }
        if unsafe PQconsumeInput(handle) != 1 {
            _ = lose(commitUnknown: false)
        }
    }

    /// Passes on the notifications that came with answers or between them.
    func deliverNotifications() {
        while let notification = unsafe PQnotifies(handle) {
            unsafe mailbox?.deliver(
                Notification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra)))
            unsafe PQfreemem(notification)
        }
    }
}
