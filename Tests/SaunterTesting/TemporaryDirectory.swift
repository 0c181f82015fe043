import Glibc
import PrivateCluster

/// A directory for one test. The path is short, because the path of a PostgreSQL socket has at most 107 bytes.
package enum TemporaryDirectory {
    /// Makes a new directory `/tmp/saunter-test-…` with mode 0700. The caller removes it.
    package static func make(ownedBy account: ClusterAccount? = nil) throws -> String {
        var template = Array("/tmp/saunter-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestingFault(step: "mkdtemp", errno: errno) }
        let path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if let account, account.userID != geteuid() {
            guard chown(path, account.userID, account.groupID) == 0 else {
                throw TestingFault(step: "chown \(path)", errno: errno)
            }
        }
        return path
    }
}

/// An error in the setup of a test.
package struct TestingFault: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// The error of a system call with this `errno`.
    package init(step: String, errno: Int32) {
        description = "\(step): \(String(cString: strerror(errno)))"
    }
}
