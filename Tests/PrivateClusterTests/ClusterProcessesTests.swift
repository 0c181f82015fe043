import Testing

@testable import PrivateCluster

@Suite struct ClusterProcessesTests {
    @Test(arguments: [
        (
            "123\n/data\n1700000000\n5432\n.\n\n 1 2\nready   \n",
            ClusterProcesses.PIDFile(pid: 123, isReady: true)
        ),
        ("123\n/data\n1700000000\n5432\n.\n\n 1 2\nstarting\n", .init(pid: 123, isReady: false)),
        ("123\n/data\n", .init(pid: 123, isReady: false)),
        ("", nil), ("x\n", nil), ("-123\n", nil), ("0\n", nil), ("1\n", nil), ("99999999999999\n", nil),
    ])
    func `postmaster.pid is parsed`(text: String, expected: ClusterProcesses.PIDFile?) {
        #expect(ClusterProcesses.parse(text) == expected)
    }

    @Test(arguments: [
        ("postgres\0-c\0cluster_name=saunter-1-a\0-c\0fsync=on\0", true),
        ("postgres: saunter-1-a: saunter saunter [local] SELECT", true),
        ("postgres: saunter-1-ab: checkpointer ", false),
        ("postgres\0-c\0cluster_name=saunter-1-ab\0", false),
        ("grep\0postgres: saunter-1-a: \0", false), ("", false),
    ])
    func `a process belongs to the cluster if its command line names the cluster`(line: String, belongs: Bool)
    {
        #expect(ClusterProcesses.isMember(commandLine: line, of: "saunter-1-a") == belongs)
    }
}
