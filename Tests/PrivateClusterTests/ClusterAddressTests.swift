import Testing

@testable import PrivateCluster

@Suite struct ClusterAddressTests {
    @Test(arguments: [
        ("/plain", "'/plain'"), ("/a b", "'/a b'"), (#"/it's \here"#, #"'/it\'s \\here'"#), ("", "''"),
    ])
    func `a value of a connection string is quoted and escaped`(value: String, quoted: String) {
        #expect(ClusterAddress.quoted(value) == quoted)
    }
}
