// Says so where a token was wrong.
import { applyTheme } from '/theme.js';

applyTheme();
document.getElementById('wrong').hidden = !location.search.includes('wrong');
