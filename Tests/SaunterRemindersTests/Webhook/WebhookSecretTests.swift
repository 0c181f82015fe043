import Testing

@testable import SaunterReminders

@Suite struct WebhookSecretTests {
    /// The example of the Standard Webhooks libraries.
    @Test func `the signature of the example is the documented one`() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))

        let signature = secret.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330,
            body: Array(#"{"test": 2432232314}"#.utf8))

        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(arguments: ["", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_%%%"])
    func `a secret that is too short or is not base64 is rejected`(_ text: String) {
        #expect(WebhookSecret(text) == nil)
    }

    @Test func `a generated secret can be parsed, and each one is different`() throws {
        let secret = WebhookSecret.make()
        #expect(WebhookSecret(secret.text)?.text == secret.text)
        #expect(secret.text != WebhookSecret.make().text)
    }
}
