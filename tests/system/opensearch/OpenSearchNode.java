// One node of OpenSearch in this process, from the jars of Maven Central: what the tests of elasticsearch-http() talk to.
//
// In: the folder of the node, the port of its API. Out: `started` on standard output when it answers.
// Limits: one node, on loopback; ends when it is killed, and finds its data again at the next start.

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

public class OpenSearchNode {
    // The constructor for nodes without a folder of plugins is protected.
    static class Bare extends Node {
        Bare(Settings settings, Path config) {
            super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), config, () -> "node"),
                List.of(Netty4Plugin.class), false);
        }

        @Override
        protected void configureNodeAndClusterIdStateListener(ClusterService service) {
            // Only the log would use it.
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Path config = Files.createDirectories(home.resolve("config"));
        Settings settings = Settings.builder()
            .put("path.home", home.toString())
            .put("cluster.name", "test")
            .put("node.name", "node")
            .put("network.host", "127.0.0.1")
            .put("http.port", arguments[1])
            .put("transport.port", "0")
            .put("discovery.type", "single-node")
            .build();
        new Bare(settings, config).start();
        System.out.println("started");
        Thread.currentThread().join();
    }
}
