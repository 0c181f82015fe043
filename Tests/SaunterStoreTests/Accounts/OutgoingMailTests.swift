import Foundation
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct OutgoingMailTests {
    static let lease = Instant.start.plus(hours: 1)

    @Test func `a queued mail is claimed once, with its content`() async throws {
        try await withMail { fixture, account in
            let mail = try #require(
                try await fixture.store.claimOutgoingMail(now: .start, leaseUntil: Self.lease))

            #expect(mail.account == account)
            #expect(mail.kind == .passwordReset)
            #expect(mail.message == ["code": "c-1", "to": "ada@example.org"])
            #expect(mail.attempts == 1)
            #expect(mail.createdAt == .start)
            #expect(try await fixture.store.claimOutgoingMail(now: .start, leaseUntil: Self.lease) == nil)
        }
    }

    @Test func `a mail whose worker died is claimed again after the lease`() async throws {
        try await withMail { fixture, _ in
            _ = try await fixture.store.claimOutgoingMail(now: .start, leaseUntil: Self.lease)

            let again = try await fixture.store.claimOutgoingMail(
                now: Self.lease, leaseUntil: Self.lease.plus(hours: 1))

            #expect(again?.attempts == 2)
        }
    }

    @Test func `many concurrent workers claim it once`() async throws {
        try await withMail { fixture, _ in
            let claimed = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await fixture.store.claimOutgoingMail(now: .start, leaseUntil: Self.lease) != nil
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(claimed == 1)
        }
    }

    @Test func `a finished mail is never claimed again, and its content is deleted`() async throws {
        try await withMail { fixture, _ in
            let mail = try #require(
                try await fixture.store.claimOutgoingMail(now: .start, leaseUntil: Self.lease))

            try await fixture.store.finishOutgoingMail(mail.id, outcome: "sent", nextAttemptAt: nil)

            #expect(try await fixture.store.claimOutgoingMail(now: .maximum, leaseUntil: .maximum) == nil)
            let bytes: Int = try await fixture.value(
                "select length(message_sealed) as value from identity.outgoing_mail")
            #expect(bytes == 0)
        }
    }

    @Test func `a deferred mail keeps its content`() async throws {
        try await withMail { fixture, _ in
            let mail = try #require(
                try await fixture.store.claimOutgoingMail(now: .start, leaseUntil: Self.lease))

            try await fixture.store.finishOutgoingMail(
                mail.id, outcome: "refused_for_now", nextAttemptAt: .start)

            let again = try await fixture.store.claimOutgoingMail(now: .start, leaseUntil: Self.lease)
            #expect(again?.message == mail.message)
            #expect(again?.attempts == 2)
        }
    }

    private func withMail(_ body: (StoreFixture, AccountID) async throws -> Void) async throws {
        try await StoreFixture.with { fixture in
            let account = try await fixture.makeAccount(email: "ada@example.org")
            try await fixture.store.insertPasswordReset(
                codeHash: [7], account: account, message: ["code": "c-1"], now: .start, expiresAt: Self.lease)
            try await body(fixture, account)
        }
    }
}
