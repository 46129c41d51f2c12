#!/usr/bin/env node
import "../dist/integrations/mcp/bin.js";
