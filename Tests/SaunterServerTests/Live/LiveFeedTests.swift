import Foundation
import HTTPTypes
import Logging
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

@Suite struct LiveFeedTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func `one poll passes the same changes to all streams of a study`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let store = caller.server.store
            let feed = LiveFeed(store: store, interval: .milliseconds(50), logger: Self.logger)
            let last = try await store.numberWaitingChanges(of: "pocket-diary")
            let first = try await feed.open("pocket-diary", reached: last)
            let second = try await feed.open("pocket-diary", reached: last)

            let ada = try await caller.newParticipant(in: "pocket-diary")

            let id = ada.enrolment
            for subscription in [first, second] {
                let event = try await Self.event(subscription) { $0.kind == .enrolment && $0.subject == id }
                #expect(event.participantID != nil && !event.isDeleted)
            }
        }
    }

    @Test func `a study and a server have a maximum of streams, and a released one makes room`() async throws
    {
        try await ServerFixture.withCaller { caller async throws in
            let feed = LiveFeed(store: caller.server.store, interval: .seconds(60), logger: Self.logger)
            var streams: [LiveSubscription] = []
            for _ in 0..<LiveFeed.maximumPerStudy {
                streams.append(try await feed.open("mindful-walking", reached: 0))
            }
            await #expect(throws: Problem.self) { try await feed.open("mindful-walking", reached: 0) }
            _ = try await feed.open("pocket-diary", reached: 0)

            streams.removeLast()

            for _ in 0..<200 where await feed.count >= LiveFeed.maximumPerStudy {
                try await Task.sleep(for: .milliseconds(10))
            }
            streams.append(try await feed.open("mindful-walking", reached: 0))
            for study in 0..<(LiveFeed.maximumStreams / LiveFeed.maximumPerStudy - 1) {
                for _ in 0..<LiveFeed.maximumPerStudy {
                    streams.append(try await feed.open("study-\(study)", reached: 0))
                }
            }
            await #expect(throws: Problem.self) { try await feed.open("one-more", reached: 0) }
        }
    }

    @Test func `the removal of a role reaches the streams of its study only`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let feed = LiveFeed(store: caller.server.store, interval: .seconds(60), logger: Self.logger)
            let own = try await feed.open("mindful-walking", reached: 0)
            let other = try await feed.open("pocket-diary", reached: 0)

            await feed.checkRoles(of: "mindful-walking")
            own.end()
            other.end()

            #expect(await own.signals.contains { $0.isRoleChange })
            #expect(await !other.signals.contains { $0.isRoleChange })
        }
    }

    @Test func `a subscription that was ended has no more signals`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let feed = LiveFeed(store: caller.server.store, interval: .seconds(60), logger: Self.logger)
            let subscription = try await feed.open("mindful-walking", reached: 0)

            subscription.end()

            for await _ in subscription.signals where Task.isCancelled { Issue.record("a signal") }
        }
    }

    @Test(arguments: ["999999999", "-1"])
    func `a position that the feed never had is rejected`(after: String) async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let answer = try await rosa.get("/v1/studies/mindful-walking/live?after=\(after)")

            answer.expectProblem(400, "request-invalid", ["/after"])
        }
    }

    @Test func `a HEAD request opens no stream`() async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let answer = try await rosa.send(.head, "/v1/studies/mindful-walking/live")

            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "text/event-stream")
            #expect(answer.bytes == [])
        }
    }

    @Test func `events are written in the form of server-sent events`() {
        let event = ChangeEvent(
            sequence: 7, kind: .answerSheet, subject: "0190a5c0-0000-7000-8000-000000000000",
            participantID: "P1",
            isDeleted: false)

        #expect(
            LiveEvents.change(event) == """
                id: 7
                event: change
                data: {"change_seq":7,"kind":"answer_sheet","id":"0190a5c0-0000-7000-8000-000000000000",\
                "participant_id":"P1","deleted":false}


                """)
        #expect(LiveEvents.ready(at: 3) == "retry: 5000\nid: 3\nevent: ready\ndata: {\"change_seq\":3}\n\n")
        #expect(LiveEvents.end(.shutdown) == "event: end\ndata: {\"reason\":\"shutdown\"}\n\n")
    }

    /// The first event that fits, within ten seconds.
    private static func event(
        _ subscription: LiveSubscription, where fits: @escaping @Sendable (ChangeEvent) -> Bool
    ) async throws -> ChangeEvent {
        let found = try await withThrowingTaskGroup(of: ChangeEvent?.self) { group in
            group.addTask {
                for await signal in subscription.signals {
                    if let event = signal.batch?.events.first(where: fits) { return event }
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: .seconds(10))
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        return try #require(found)
    }
}
