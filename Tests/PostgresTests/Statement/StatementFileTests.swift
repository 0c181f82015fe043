import Postgres
import Testing

@Suite("Statement file") struct StatementFileTests {
    @Test func `a file gives its statements by name, with what their headers declare`() throws {
        let statements = try Statement.parse(
            file: """
                -- Occasions and their windows.

                -- name: find_open_occasions(enrolment_id uuid, amount numeric(10, 2), spans  double precision[]) :many
                -- Due occasions only; withdrawn enrolments have none.
                select occasion_id
                from occasion -- a comment with $9 and a ;
                where enrolment_id = $1 and note <> 'it''s $7; ' and $2 > 0 and $3 is not null;

                -- name: touch() :exec
                update occasion set note = $tag$ $4 ; $tag$
                """)

        #expect(statements.count == 2)
        let find = try #require(statements["find_open_occasions"])
        #expect(find.cardinality == .many)
        #expect(
            find.parameters == [
                .init(name: "enrolment_id", type: "uuid"), .init(name: "amount", type: "numeric(10, 2)"),
                .init(name: "spans", type: "double precision[]"),
            ])
        #expect(find.sql.hasPrefix("select occasion_id\nfrom occasion"))
        #expect(find.sql.hasSuffix("$3 is not null"))
        let touch = try #require(statements["touch"])
        #expect(touch.cardinality == .exec)
        #expect(touch.parameters.isEmpty)
    }

    @Test func `line ends may be of any system`() throws {
        let statements = try Statement.parse(file: "-- name: a(x int4) :one\r\nselect\r\n$1\r\n")

        #expect(statements["a"]?.sql == "select\n$1\n")
    }

    @Test(arguments: [
        ("select 1", 1, StatementFileFault.Reason.textBeforeFirstHeader),
        ("\n-- name: a :one\nselect 1", 2, .headerUnreadable),
        ("-- name: A() :one\nselect 1", 1, .headerUnreadable),
        ("-- name: a() one\nselect 1", 1, .headerUnreadable),
        ("-- name: a() :all\nselect 1", 1, .headerUnreadable),
        ("-- name: a(x) :one\nselect $1", 1, .headerUnreadable),
        ("-- name: a(x int4,) :one\nselect $1", 1, .headerUnreadable),
        ("-- name: a)( :one\nselect $1", 1, .headerUnreadable),
        ("-- name: a(x int4, x int4) :one\nselect $1, $2", 1, .parameterRepeated("x")),
        ("-- name: a() :one\nselect 1\n-- name: a() :one\nselect 2", 3, .nameRepeated("a")),
        ("-- name: a() :one\n-- nothing\n/* at /* all */ */ ;", 1, .statementMissing("a")),
        ("-- name: a() :one\nselect 1; select 2", 1, .severalStatements("a")),
        ("-- name: a(x int4) :one\nselect 1", 1, .parameterCount("a", declared: 1, used: 0)),
        ("-- name: a() :one\nselect $1, $2", 1, .parameterCount("a", declared: 0, used: 2)),
        ("-- name: a() :one\nselect 'x", 1, .unclosed("a")),
        ("-- name: a() :one\nselect /* x", 1, .unclosed("a")),
        ("-- name: a() :one\nselect $x$ y", 1, .unclosed("a")),
    ])
    func `faults are told with their line`(file: String, line: Int, reason: StatementFileFault.Reason) {
        #expect(throws: StatementFileFault(line: line, reason: reason)) { try Statement.parse(file: file) }
    }

    @Test(arguments: [
        (#"-- name: a(x int4) :one"# + "\n" + #"select E'it\'s ; $9', $1"#, "a"),
        ("-- name: a(x int4) :one\nselect \"odd;$5\"\"name\", $1", "a"),
        ("-- name: a(x int4) :one\nselect a$2b, $1", "a"),
        ("-- name: a(x int4) :one\nselect 1 /* ; $3 */, $1 ; -- end ; of it", "a"),
        ("-- name: a(x int4) :one\nselect $$ ; $8 $$, $1", "a"),
    ])
    func `quotations and comments are looked past`(file: String, name: String) throws {
        #expect(try Statement.parse(file: file)[name]?.parameters.count == 1)
    }
}
