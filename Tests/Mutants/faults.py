"""What the server, its store and its proxy do when things break, broken on purpose: what `broken.py` tries.

Of a file: the test that has to fail, how the file is broken, and the text that is put in the place of another one, which stands once in the file, or once in
the piece of text that is given last. In Swift both are expressions. `swift` before a test means suites of the Swift tests.
"""

_SUBMIT = "try await sheets.submit(submission)"
_SAME = "held[key] == submission.digest ? .replayed : .conflict"
_WRITE = "try await writeTogether(submissions)"

# Whatever was thrown is told as if it were stored.
_TOLD = """try await {{ () async throws -> [SheetReceipt] in
            do {{ return try await writeTogether(submissions) }} catch let fault as DatabaseError where {} {{
                return submissions.map {{ _ in .stored(duplicateOf: nil) }}
            }}
        }}()"""
_TOO_LATE = """try await withThrowingTaskGroup(of: [SheetReceipt].self) { group in
            group.addTask { try await writeTogether(submissions) }
            group.addTask {
                try await Task.sleep(for: .milliseconds(250))
                return submissions.map { _ in .stored(duplicateOf: nil) }
            }
            let first = try await group.next()
            group.cancelAll()
            return first ?? []
        }"""
_EARLY = """{ () -> SheetReceipt in
            let queue = sheets
            _ = Task { try? await queue.submit(submission) }
            return .stored(duplicateOf: nil)
        }()"""

_KILL = "test_durability.py::test_a_kill_under_load_loses_and_doubles_nothing"
_CROWD = "test_faults.py::test_a_crowd_of_connections_holds_up_nobody_who_hands_in"
_CLOCKS = "test_faults.py::test_no_jump_of_the_clock_loses_anything_or_locks_anybody_out"
_TOKEN = "test_faults.py::test_a_token_of_a_wrong_time_is_worth_nothing_once_the_clock_is_right"
_LINE = "test_faults.py::test_a_bad_line_loses_and_doubles_nothing"
_REPLY = "test_faults.py::test_after_a_lost_reply_the_same_bytes_get_their_receipt_and_others_a_conflict"
_RACES = "test_faults.py::test_races_of_all_kinds_have_one_winner"
_FULL = "test_faults.py::test_a_full_disk_refuses_and_goes_on_by_itself_when_there_is_room"
_HANGS = "test_faults.py::test_a_database_that_hangs_loses_nothing"
_SLOW = "test_faults.py::test_a_slow_disk_delays_and_loses_nothing"
_MEMORY = "test_faults.py::test_large_outboxes_of_many_devices_fit_into_little_memory"
_DAWDLES = "test_faults.py::test_whoever_dawdles_is_let_go"
_FSYNC = "test_faults.py::test_a_disk_whose_fsync_fails_loses_nothing_that_was_acknowledged"
_PACKETS = "test_faults.py::test_packets_that_get_lost_lose_and_double_nothing"
_PACKETS_BEHIND = "test_faults.py::test_packets_that_get_lost_on_the_way_to_the_database_lose_and_double_nothing"
_POWER = "test_faults.py::test_a_power_cut_loses_nothing_that_was_acknowledged"
_PRIMARY = "test_failover.py::test_a_primary_that_dies_under_load_costs_seconds_and_nothing_else"
_TRAP = "test_failover.py::test_what_only_the_primary_has_is_acknowledged_to_nobody_however_often_it_is_sent"
_SERVER = "test_failover.py::test_a_server_that_dies_under_load_costs_a_retry"
_KINDS = "swift IngestKindsTests"
_FLOOD = "test_sync.py::test_a_flood_that_cannot_be_written_is_put_off_and_holds_up_nothing_else"
_RETRY = "test_two_servers.py::test_a_claim_to_try_again_whose_commit_was_not_answered_is_sent_all_the_same_and_once"
_ANEW = "test_backup.py::test_a_device_that_knows_more_or_less_than_a_restored_database_begins_anew"
_NGINX = "test_failover.py::test_nginx_refuses_in_words_that_devices_read"

MUTANTS = {
    "Sources/SaunterStore/AnswerSheets/IngestQueue.swift": [
        (f"{_KILL}[server-0]", "a sheet is acknowledged before it is stored", _SUBMIT, _EARLY),
        (f"{_KILL}[SIGTERM of the server-0]", "a sheet is acknowledged before it is stored", _SUBMIT, _EARLY),
        (f"{_KILL}[server and PostgreSQL-0]", "a sheet is acknowledged before it is stored", _SUBMIT, _EARLY),
        (_POWER, "a sheet is acknowledged before it is stored", _SUBMIT, _EARLY),
        (_SLOW, "a sheet is acknowledged before it is stored", _SUBMIT, _EARLY),
        (_SERVER, "a sheet is acknowledged before it is stored", _SUBMIT, _EARLY),
        (_KINDS, "studies take no turns with usage events", "$0.study", '"one"', '"usage_events", rules: .init(lane: { $0.study }'),
        (_KINDS, "studies take no turns with amendments", "$0.study", '"one"', 'rules: .init(lane: { $0.study }, bytes: { $0.amendment'),
    ],
    "Sources/SaunterStore/Database/GatheringQueue.swift": [
        (_KINDS, "a queue takes whatever comes", "waiting.count < bounds.waiting", "true"),
        (f"{_FLOOD}[usage events]", "a queue takes whatever comes", "waiting.count < bounds.waiting", "true"),
        (f"{_FLOOD}[amendments]", "a queue takes whatever comes", "waiting.count < bounds.waiting", "true"),
    ],
    "Sources/SaunterStore/Reminders/Store+Reminders.swift": [
        (_RETRY, "nobody asks what became of a claim to try again", "error.isCommitUnknown", "false",
         "error.isCommitUnknown {\n            guard let taken else { throw error }\n            return try await findClaim(claim"),
        ("swift LostRetryTests", "all claims to try again have one name", "UUID()", "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))",
         "let claim = UUID()"),
    ],
    "Sources/SaunterStore/Backup/Backup+Restore.swift": [
        (_ANEW, "all restores begin the same history", "UUID()", "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))", "let history = UUID()"),
        ("test_backup.py::test_a_database_of_ones_own_is_brought_back_to_a_moment", "a recovery begins no history", "hasHistory", "false", "if hasHistory {"),
    ],
    "Sources/SaunterStore/Devices/Store+Devices.swift": [
        (_ANEW, "a cursor of another history is as good", "place.history == history", "true"),
        ("swift BackupTests", "a cursor of another history is as good", "place.history == history", "true"),
    ],
    "Sources/SaunterStore/AnswerSheets/Store+Submission.swift": [
        (f"{_KILL}[backend-0]", "what the database did not take is told as stored", _WRITE, _TOLD.format("fault.isOutage")),
        (f"{_KILL}[PostgreSQL-0]", "a commit that was not answered is taken for done", _WRITE, _TOLD.format("fault.isCommitUnknown")),
        (_TRAP, "a commit that was not answered is taken for done", _WRITE, _TOLD.format("fault.isCommitUnknown")),
        (_FULL, "what the database did not take is told as stored", _WRITE, _TOLD.format("fault.isOutage")),
        (_FSYNC, "what the database did not take is told as stored", _WRITE, _TOLD.format("fault.isOutage")),
        (_PACKETS_BEHIND, "what takes longer than a quarter of a second is told as stored, and given up", _WRITE, _TOO_LATE),
        (_HANGS, "what takes longer than a quarter of a second is told as stored, and given up", _WRITE, _TOO_LATE),
    ],
    "Sources/saunter/Commands/Serve.swift": [
        (f"{_KILL}[SIGTERM of the server-0]", "SIGTERM just ends it", "[.sigterm, .sigint]", "[.sigint]"),
    ],
    "Sources/PrivateCluster/Postmaster.swift": [
        (f"{_KILL}[SIGTERM of the server-0]", "its PostgreSQL is left running", "isOver", "true", "guard !isOver else { return }\n            kill(pid, signal)"),
    ],
    "Sources/PrivateCluster/PrivateCluster.swift": [
        (f"{_KILL}[PostgreSQL-0]", "a PostgreSQL that ended is not started again", "await restart()", "true"),
        ("test_durability.py::test_a_second_server_on_the_same_data_directory_is_refused_in_one_line", "servers share the lock of their directory",
         ".exclusive", ".shared", "directory.path(of: .server), .exclusive"),
    ],
    "Sources/PrivateCluster/ClusterLaunch.swift": [
        (_FSYNC, "what is in memory only is recovered as if it were on the disk",
         "CachedFiles.isRecovering(control: try await program.succeed())", "false"),
    ],
    "Sources/SaunterEvaluation/Dataset/DatasetWriter.swift": [
        (f"{_KILL}[server-0] and then test_durability.py::test_after_all_kills_the_dataset_holds_each_thing_once", "rows of the dataset are written twice",
         "piece", "piece + piece", "try files.write(piece)"),
    ],
    "Sources/SaunterServer/Problems/Problem+Database.swift": [
        (_FULL, "a full disk is an internal error", "fault.state", "SQLState(\"XX000\")", "switch fault.state {"),
    ],
    "Sources/SaunterStore/AnswerSheets/SheetBatch.swift": [
        (_RACES, "other bytes under an id are taken for a repetition", _SAME, "held[key] == nil ? .conflict : .replayed"),
        (_REPLY, "other bytes under an id are taken for a repetition", _SAME, "held[key] == nil ? .conflict : .replayed"),
        (f"{_LINE}[replies lost after the commit]", "a repetition is taken for other bytes", _SAME, ".conflict"),
        (f"{_LINE}[all of it at once]", "a repetition is taken for other bytes", _SAME, ".conflict"),
        (_REPLY, "a repetition is taken for other bytes", _SAME, ".conflict"),
        (f"{_PACKETS}[30]", "a repetition is taken for other bytes", _SAME, ".conflict"),
        (_RACES, "a second sheet for an occasion is no duplicate of the first", ".write(duplicateOf: settledBy)", ".write(duplicateOf: nil)"),
    ],
    "Sources/SaunterServer/HTTP/Admission.swift": [
        (f"{_CROWD}[slow bodies-3000]", "a crowd of one account may take all the room", "isFair(bytes, isNew: true, asker, state)", "true"),
    ],
    "Sources/SaunterServer/HTTP/BodyReader.swift": [
        (_MEMORY, "every body has room for the longest from the start", "[]", "Mutated.room(limit)", "var bytes: [UInt8] = []"),
    ],
    "Sources/SaunterServer/HTTP/ConnectionBound.swift": [
        (f"{_CROWD}[slow bodies-3000]", "there are few connections", "max(64, min(most, descriptors - reserve))", "64"),
        (f"{_CROWD}[slow readers-500]", "there are few connections", "max(64, min(most, descriptors - reserve))", "64"),
    ],
    "Sources/SaunterServer/HTTP/ServerShape.swift": [
        (f"{_CROWD}[connections opened over and over-500]", "making a connection ready holds up the others",
         "ContinueHandler()", "Mutated.slowly { ContinueHandler() }"),
        (_DAWDLES, "whoever never ends the headers stays", "TimeAmount(idleTimeout)", ".hours(1)", "idleTimeout: TimeAmount(idleTimeout))\n        configuration"),
        (_DAWDLES, "whoever does not take a reply stays", "TimeAmount(idleTimeout)", ".hours(1)", "SlowReaderHandler(patience: TimeAmount(idleTimeout))"),
    ],
    "Sources/SaunterServer/HTTP/BodyWatch.swift": [
        (_DAWDLES, "a body may take for ever", "now >= start + pace.allowance(afterBytes: arrived.count.load(ordering: .relaxed))", "false"),
    ],
    "Sources/SaunterServer/Authentication/Throttle.swift": [
        (_CLOCKS, "whoever tried while the clock was ahead waits until then",
         "min(max(state ?? time, time), time + capacity)", "max(state ?? time, time)"),
        (_TOKEN, "whoever tried while the clock was ahead waits until then",
         "min(max(state ?? time, time), time + capacity)", "max(state ?? time, time)"),
    ],
    "Sources/SaunterServer/Authentication/VerifiedTokens.swift": [
        (_TOKEN, "a token from the future stays good",
         "claims.issuedAt.milliseconds(since: now) <= AccessTokens.leewayMilliseconds", "true"),
    ],
    "Sources/Postgres/Connection/ConnectionString.swift": [
        (_PRIMARY, "of several nodes the first is taken", "String(cString: value)", "String(String(cString: value).prefix { $0 != \",\" })"),
    ],
    "deploy/nginx.conf": [
        (_SERVER, "a server that died is not passed over", "proxy_next_upstream error timeout;", "proxy_next_upstream off;"),
        (_NGINX, "that neither answers is told as nginx tells it", "error_page 502 503 504 =503 @nobody;", ""),
    ],
}

# More that goes into the copies of targets with mutants, where they need it.
BESIDE = {
    "Sources/SaunterServer": """import Foundation

enum Mutated {
    static func room(_ size: Int) -> [UInt8] {
        var room = [UInt8](repeating: 1, count: size)
        room.removeAll(keepingCapacity: true)
        return room
    }

    static func slowly<Value>(_ make: () -> Value) -> Value {
        Thread.sleep(forTimeInterval: 0.1)
        return make()
    }
}
""",
}
