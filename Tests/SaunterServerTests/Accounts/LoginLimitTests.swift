import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// Limits of logins. Each test has the accounts of another server, with separate limits.
@Suite struct LoginLimitTests {
    private static let password = "correct horse battery"
    private static let home = IPAddress("192.0.2.1")!
    private static let elsewhere = IPAddress("198.51.100.1")!

    @Test func `wrong passwords get 429 after ten, and the correct password is accepted from every address`()
        async throws
    {
        try await withAccount { service, account in
            var problems: [ProblemType?] = []
            for _ in 1...12 {
                problems.append(await service.logInProblem(account.address, "wrong", from: Self.home))
            }

            #expect(Array(problems.prefix(10)) == Array(repeating: .credentialsInvalid, count: 10))
            #expect(Array(problems.suffix(2)) == [.tooManyRequests, .tooManyRequests])
            #expect(await service.logInProblem(account.address, Self.password, from: Self.home) == nil)
            #expect(await service.logInProblem(account.address, Self.password, from: Self.elsewhere) == nil)
            // A correct password clears the count.
            #expect(
                await service.logInProblem(account.address, "wrong", from: Self.home) == .credentialsInvalid)
        }
    }

    @Test func `an address without an account is limited like one with an account`() async throws {
        try await withAccount { service, _ in
            let email = "nobody-\(UUID())@example.org"
            var problems: [ProblemType?] = []
            for _ in 1...11 { problems.append(await service.logInProblem(email, "wrong", from: Self.home)) }

            #expect(problems == Array(repeating: .credentialsInvalid, count: 10) + [.tooManyRequests])
        }
    }

    @Test func `wrong passwords from many addresses do not use up the tries of the owner`() async throws {
        try await withAccount { service, account in
            for number in 1...30 {
                _ = await service.logInProblem(
                    account.address, "wrong", from: IPAddress("203.0.113.\(number)")!)
            }

            #expect(
                await service.logInProblem(account.address, "typo", from: Self.home) == .credentialsInvalid)
            #expect(await service.logInProblem(account.address, Self.password, from: Self.home) == nil)
        }
    }

    @Test func `after 50 tries an address is rejected, but not its known devices, and not after a reset`()
        async throws
    {
        try await withAccount { service, account in
            let device = try await service.logIn(
                Credentials(email: account.address, password: Self.password), from: Self.elsewhere,
                now: ServerFixture.now)
            await service.useUpGuesses(of: account, from: Self.home)

            #expect(
                await service.logInProblem(account.address, Self.password, from: Self.home)
                    == .tooManyRequests)
            #expect(
                await service.logInProblem(
                    account.address, Self.password, token: device.refreshToken, from: Self.home) == nil)

            try await service.reset(account, to: "another fine password")
            #expect(
                await service.logInProblem(account.address, "another fine password", from: Self.home) == nil)
        }
    }

    @Test func `a known device of another account, or with a false token, is no known device`() async throws {
        try await withAccount { service, account in
            let server = try await ServerFixture.running()
            let other = try await server.makeLogin()
            await service.useUpGuesses(of: account, from: Self.home)

            for token in [other.refreshToken, "false"] {
                let problem = await service.logInProblem(
                    account.address, Self.password, token: token, from: Self.home)
                #expect(problem == .tooManyRequests)
            }
        }
    }

    @Test func `a flood from one network address does not stop a known device behind it`() async throws {
        try await withAccount { service, account in
            let device = try #require(await service.insertLogin(of: account, now: ServerFixture.now))
            let family = try await service.keys.verify(device.accessToken, now: ServerFixture.now).family
            try await service.store.revoke(family: family, now: ServerFixture.now, why: "logout")
            for _ in 1...200 {
                _ = await service.loginThrottle.attempt(.address(Self.home), now: ServerFixture.now)
            }

            #expect(
                await service.logInProblem(account.address, Self.password, from: Self.home)
                    == .tooManyRequests)
            #expect(
                await service.logInProblem(
                    account.address, Self.password, token: device.refreshToken, from: Self.home) == nil)
        }
    }

    @Test func `a known device has a limit for wrong passwords too`() async throws {
        try await withAccount { service, account in
            let device = try #require(await service.insertLogin(of: account, now: ServerFixture.now))
            var problems: [ProblemType?] = []
            for _ in 1...31 {
                problems.append(
                    await service.logInProblem(
                        account.address, "wrong", token: device.refreshToken, from: Self.home))
            }

            #expect(problems == Array(repeating: .credentialsInvalid, count: 30) + [.tooManyRequests])
        }
    }

    @Test func `wrong passwords on one device do not stop another device of the account`() async throws {
        try await withAccount { service, account in
            let (stolen, own) = (UUID(), UUID())
            for _ in 1...10 {
                await #expect(throws: Problem.self) {
                    try await service.verifyPassword(
                        of: account, "wrong", login: stolen, now: ServerFixture.now)
                }
            }
            let problem = await #expect(throws: Problem.self) {
                try await service.verifyPassword(
                    of: account, Self.password, login: stolen, now: ServerFixture.now)
            }

            #expect(problem?.type == .tooManyRequests)
            try await service.verifyPassword(of: account, Self.password, login: own, now: ServerFixture.now)
        }
    }

    @Test func `a login is not created if the password was changed after it was verified`() async throws {
        try await withAccount { service, account in
            try await service.reset(account, to: "another fine password")

            #expect(try await service.insertLogin(of: account, now: ServerFixture.now) == nil)
        }
    }

    @Test func `a login to an account that was erased meanwhile is not created`() async throws {
        try await withAccount { service, account in
            try await service.erase(account)

            #expect(try await service.insertLogin(of: account, now: ServerFixture.now) == nil)
            #expect(
                await service.logInProblem(account.address, Self.password, from: Self.home)
                    == .credentialsInvalid)
        }
    }

    @Test func `another server rejects the access token of an erased account`() async throws {
        try await withAccount { service, account in
            let other = try ServerFixture.makeAccountService(service.store)
            let login = try #require(await service.insertLogin(of: account, now: ServerFixture.now))
            _ = try await other.authenticate(login.accessToken, for: .account, now: ServerFixture.now)

            try await service.erase(account)
            await other.revocations.refresh()

            let problem = await #expect(throws: Problem.self) {
                try await other.authenticate(login.accessToken, for: .account, now: ServerFixture.now)
            }
            #expect(problem?.type == .tokenInvalid)
        }
    }

    private func withAccount(_ body: (AccountService, Account) async throws -> Void) async throws {
        let server = try await ServerFixture.running()
        let service = try ServerFixture.makeAccountService(server.store)
        try await body(
            service, try await server.makeAccount(passwordHash: try await service.hash(Self.password)))
    }
}

extension AccountService {
    /// The type of the problem of a login; nil if it succeeds.
    fileprivate func logInProblem(
        _ email: String, _ password: String, token: String? = nil, from address: IPAddress
    ) async -> ProblemType? {
        do {
            _ = try await logIn(
                Credentials(email: email, password: password, refreshToken: token), from: address,
                now: ServerFixture.now)
            return nil
        } catch {
            return Problem(error).type
        }
    }

    /// Uses up the passwords that are verified, without the time that they take.
    fileprivate func useUpGuesses(of account: Account, from address: IPAddress) async {
        let key = ThrottleKey.logins(
            email: account.address, passwordHash: account.passwordHash, from: address)
        for _ in 1...50 { _ = await guessThrottle.attempt(key, now: ServerFixture.now) }
    }

    fileprivate func reset(_ account: Account, to password: String) async throws {
        let code = RandomToken.make()
        try await store.insertPasswordReset(
            codeHash: code.digest, account: account.id, message: [:], now: ServerFixture.now,
            expiresAt: ServerFixture.now.adding(seconds: 60))
        let hash = try await hash(password)
        let revoked = try await store.resetPassword(
            codeHash: code.digest, passwordHash: hash, now: ServerFixture.now)
        #expect(revoked != nil)
    }

    fileprivate func erase(_ account: Account) async throws {
        _ = try await store.erase(
            account: account.id, enrolments: [], audit: AuditEntry(actor: .system, action: "account_erased"),
            now: ServerFixture.now)
    }
}
