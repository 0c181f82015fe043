import Testing

@testable import SaunterReminders

@Suite struct WebhookSecretTests {
    /// The worked example of Standard Webhooks' own libraries.
    @Test func `a signature is the standard's`() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))

        let signature = secret.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8))

        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(arguments: ["", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%%%"])
    func `what could be guessed or is no base64 is refused`(_ text: String) {
        #expect(WebhookSecret(text) == nil)
    }

    @Test func `one that is made can be read again, and is no other's`() throws {
        let made = WebhookSecret.make()
        #expect(WebhookSecret(made.text)?.text == made.text)
        #expect(made.text != WebhookSecret.make().text)
    }
}
