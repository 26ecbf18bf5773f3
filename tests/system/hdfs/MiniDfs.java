// An HDFS of NameNodes and DataNodes in one process, with WebHDFS. Arguments: a folder, the ports of RPC and HTTP of each
// NameNode, one after the other. Commands on standard input: `active N`, `safe`, `unsafe`, `stop N`, `start`.

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAdapter;

public class MiniDfs {
    public static void main(String[] words) throws Exception {
        // The threads of the cluster would go on without it.
        Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {
            error.printStackTrace();
            System.exit(1);
        });
        File folder = new File(words[0]);
        int nodes = (words.length - 1) / 2;
        Configuration settings = new HdfsConfiguration();
        settings.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.getAbsolutePath());
        settings.set("dfs.namenode.http-bind-host", "127.0.0.1");
        settings.setInt("dfs.replication", 2);
        settings.setInt("dfs.namenode.fs-limits.min-block-size", 1024);
        // A DataNode that is gone is noticed soon, and a file goes on with the one that is left.
        settings.setLong("dfs.heartbeat.interval", 1);
        settings.setInt("dfs.namenode.heartbeat.recheck-interval", 1000);
        settings.set("dfs.client.block.write.replace-datanode-on-failure.policy", "NEVER");
        MiniDFSNNTopology topology = new MiniDFSNNTopology();
        MiniDFSNNTopology.NSConf space = new MiniDFSNNTopology.NSConf(nodes > 1 ? "ns" : null);
        for (int at = 0; at < nodes; at++) {
            String name = nodes > 1 ? "nn" + at : null;
            MiniDFSNNTopology.NNConf node = new MiniDFSNNTopology.NNConf(name);
            space.addNN(node.setIpcPort(Integer.parseInt(words[1 + 2 * at])).setHttpPort(Integer.parseInt(words[2 + 2 * at])));
        }
        topology.addNameservice(space);
        boolean isNew = !new File(folder, "formatted").exists();
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(settings).nnTopology(topology).numDataNodes(2).format(isNew).build();
        new File(folder, "formatted").createNewFile();
        if (nodes > 1) {
            cluster.transitionToActive(0);
        }
        cluster.waitActive();
        // A file whose writer died is free for another after a second, instead of a minute. A NameNode that stands by has no leases.
        NameNodeAdapter.setLeasePeriod(cluster.getNamesystem(0), 1000, 60_000);
        System.out.println("ready");
        ArrayDeque<MiniDFSCluster.DataNodeProperties> stopped = new ArrayDeque<>();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] command = line.split(" ");
            switch (command[0]) {
                case "active":
                    int active = Integer.parseInt(command[1]);
                    cluster.transitionToStandby(1 - active);
                    cluster.transitionToActive(active);
                    break;
                case "safe":
                    cluster.getFileSystem(0).setSafeMode(SafeModeAction.SAFEMODE_ENTER);
                    break;
                case "unsafe":
                    cluster.getFileSystem(0).setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
                    break;
                case "stop":
                    stopped.add(cluster.stopDataNode(Integer.parseInt(command[1])));
                    break;
                case "start":
                    while (!stopped.isEmpty()) {
                        cluster.restartDataNode(stopped.remove(), true);
                    }
                    break;
            }
            System.out.println("done " + line);
        }
        cluster.shutdown();
        System.exit(0);
    }
}
