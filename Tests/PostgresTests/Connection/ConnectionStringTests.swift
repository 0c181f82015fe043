import Postgres
import Testing

@Suite("ConnectionString") struct ConnectionStringTests {
    @Test(arguments: [
        "host=first,second port=1,2 dbname=saunter user=ada password='se cret' target_session_attrs=read-write",
        "postgresql://ada:se%20cret@first:1,second:2/saunter?target_session_attrs=read-write",
    ])
    func `both connection string formats of libpq are accepted, and the password is not shown`(text: String)
        throws
    {
        let string = try ConnectionString(text)

        #expect(string.value(of: "host") == "first,second")
        #expect(string.value(of: "port") == "1,2")
        #expect(string.value(of: "target_session_attrs") == "read-write")
        #expect(string.value(of: "password") == "se cret")
        #expect(string.value(of: "sslmode") == nil)
        #expect(string.description == "host=first,second port=1,2 dbname=saunter user=ada")
        var dumped = ""
        dump(string, to: &dumped)
        #expect(!dumped.contains("cret"))
    }

    @Test(arguments: ["secret", "hosst=secret", "postgresql://[secret", "host=a\0b dbname=secret"])
    func `a string that libpq cannot parse is rejected, and the error does not quote it`(text: String) {
        #expect {
            try ConnectionString(text)
        } throws: { error in
            guard case .encoding = (error as? DatabaseError)?.kind else { return false }
            return !"\(error)".contains("secret")
        }
    }

    @Test func `a setting can be replaced`() throws {
        let string = try ConnectionString("host=a dbname=b").setting("dbname", to: "c d")

        #expect(string.value(of: "dbname") == "c d")
        #expect(throws: DatabaseError.self) { try string.setting("dbname", to: "c\0d") }
    }
}
