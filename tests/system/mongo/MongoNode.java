// A server of MongoDB's protocol for tests: mongo-java-server with a file. Arguments: port, file, and for TLS a certificate and its key.

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.io.FileInputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

public class MongoNode {
    /** What is acknowledged is in the file, as in the journal of a real server: a killed one has it. */
    static class Durable extends H2Backend {
        Durable(String file) {
            super(file);
        }

        @Override
        public Document handleMessage(MongoMessage message) {
            Document answer = super.handleMessage(message);
            if (message.getDocument().containsKey("insert")) {
                commit();
                count(answer, !Boolean.FALSE.equals(message.getDocument().get("ordered")));
            }
            return answer;
        }

        /** It says that it has stored all that it got; a real server counts without those that it refused, or did not look at. */
        private static void count(Document answer, boolean ordered) {
            if (answer.get("writeErrors") instanceof List<?> errors && !errors.isEmpty() && answer.get("n") instanceof Integer sent) {
                Object first = ((Document) errors.get(0)).get("index");
                answer.put("n", ordered ? first : sent - errors.size());
            }
        }
    }

    /** Its own newest version is one that today's clients refuse. */
    static class Version implements MongoVersion {
        @Override
        public List<Integer> getVersionArray() {
            return List.of(5, 0, 0, 0);
        }

        @Override
        public int getWireVersion() {
            return 13;
        }
    }

    static PrivateKey key(String file) throws Exception {
        String text = Files.readString(Path.of(file)).replaceAll("-----[^-]*-----", "").replaceAll("\\s", "");
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text)));
    }

    public static void main(String[] arguments) throws Exception {
        MongoServer server = new MongoServer(new Durable(arguments[1]).version(new Version()));
        if (arguments.length > 2) {
            X509Certificate certificate;
            try (FileInputStream input = new FileInputStream(arguments[2])) {
                certificate = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(input);
            }
            server.enableSsl(key(arguments[3]), null, certificate);
        }
        server.bind(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
        Thread.currentThread().join();
    }
}
